// Completion over the policy's names in the editor. Every page works without this script.
"use strict";

for (const editor of document.querySelectorAll("textarea[data-completes]")) {
  const names = [...document.getElementById(editor.dataset.completes).options].map((option) => option.value);
  const list = document.createElement("ul");
  list.className = "completions";
  list.id = editor.id + "-completions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions: arrows choose, Tab takes, Escape closes");
  editor.after(list);
  editor.setAttribute("aria-controls", list.id);

  const word = () => {
    const before = editor.value.slice(0, editor.selectionStart);
    return (before.match(/[\w"]+$/) || [""])[0];
  };
  const take = (name) => {
    const end = editor.selectionStart;
    editor.setRangeText(name, end - word().length, end, "end");
    list.replaceChildren();
    editor.focus();
  };
  const offer = () => {
    const begun = word().toLowerCase();
    const fitting = begun.length < 2 ? [] : names.filter((name) => name.toLowerCase().startsWith(begun) && name.toLowerCase() !== begun);
    list.replaceChildren(
      ...fitting.slice(0, 8).map((name, place) => {
        const item = document.createElement("li");
        item.textContent = name;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", String(place === 0));
        item.addEventListener("mousedown", (event) => {
          event.preventDefault();
          take(name);
        });
        return item;
      }),
    );
  };
  editor.addEventListener("input", offer);
  editor.addEventListener("blur", () => list.replaceChildren());
  editor.addEventListener("keydown", (event) => {
    const chosen = list.querySelector("[aria-selected=true]");
    if (chosen && event.key === "Tab") {
      event.preventDefault();
      take(chosen.textContent);
    } else if (chosen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? chosen.nextElementSibling : chosen.previousElementSibling;
      if (next) {
        chosen.setAttribute("aria-selected", "false");
        next.setAttribute("aria-selected", "true");
      }
    } else if (event.key === "Escape") {
      list.replaceChildren();
    }
  });
}
