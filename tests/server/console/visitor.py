"""A browser without a screen: keeps cookies, finds tokens."""

import asyncio
import re

import httpx


class Visitor:
    def __init__(self, app, secret=None):
        self._app, self.cookies, self.token = app, httpx.Cookies(), ""
        if secret is not None:
            assert self.post("/login", key=secret).status_code == 303
            self.get("/")

    def get(self, path):
        return self._seen(asyncio.run(self._send("GET", path)))

    def post(self, path, token=None, **fields):
        return self._seen(asyncio.run(self._send("POST", path, {"token": token or self.token, **fields})))

    def field(self, answer, name):
        return re.search(rf'name="{name}" value="([^"]*)"', answer.text)[1]

    def _seen(self, answer):
        found = re.search('name="token" value="([0-9a-f]+)"', answer.text)
        self.token = found[1] if found else self.token
        return answer

    async def _send(self, method, path, fields=None):
        transport = httpx.ASGITransport(app=self._app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://server", cookies=self.cookies) as client:
            answer = await client.request(method, path, data=fields)
            self.cookies = client.cookies
            return answer
