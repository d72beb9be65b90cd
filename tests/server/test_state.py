def test_when_a_key_was_seen_is_written_down(app, caller, ledger):
    caller()("GET", "/api/datasets")
    assert ledger.all_keys()[0].used is None
    app.state.served.note_keys()
    assert ledger.all_keys()[0].used is not None
    assert app.state.served.seen == {}
