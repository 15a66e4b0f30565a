"""Fixtures of the page: one server and one browser; each test ends with an empty console."""

import pytest

from tests.support.browser import Browser, Server, missing


@pytest.fixture(scope="session")
def server():
    if missing():
        pytest.skip(missing())
    started = Server()
    yield started
    started.stop()


@pytest.fixture(scope="session")
def chromium(server, tmp_path_factory):
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.driver.quit()


@pytest.fixture
def browser(chromium, server):
    chromium.resize(1280, 800)
    chromium.open(server.address)
    yield chromium
    assert chromium.console() == []
    assert [url for url in chromium.requested() if not url.startswith((server.address, "blob:"))] == []
