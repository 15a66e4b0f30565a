"""The site that `make docs` has built: its links lead somewhere, and its search finds the right page."""

from __future__ import annotations

import os
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.documents.test_api_page import NAMES

SITE = Path(os.environ.get("DIAMANT_SITE", "none"))
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="no site is built: make docs builds it and runs these tests")
FIRST = {  # what a search finds first
    "relic": ("rules.html", "environment.html"),
    "reward": ("environment.html",),
    "SuperSuit": ("libraries.html",),
    "exploitability": ("exact.html",),
}
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"


class Places(HTMLParser):
    """The links of a page and the places that links can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.add(value or "")
            elif name == "id":
                self.ids.add(value or "")


def test_every_link_leads_somewhere():
    pages = {page.resolve(): Places(page) for page in SITE.rglob("*.html")}
    assert len(pages) > 20
    lost = []
    for page, places in pages.items():
        for link in places.links:
            to = urlsplit(link)
            there = (page.parent / unquote(to.path)).resolve() if to.path else page
            known = there in pages and (not to.fragment or unquote(to.fragment) in pages[there].ids)
            if not (to.scheme or known or (there.is_file() and there not in pages)):
                lost.append(f"{page.name}: {link}")
    assert not lost


def test_no_page_needs_another_site_to_be_read():
    for page in SITE.rglob("*.html"):
        assert 'src="http' not in page.read_text(encoding="utf-8"), page


def test_the_api_page_shows_every_public_name():
    places = Places(SITE / "api.html").ids
    assert {f"{module}.{name}" for module, name in NAMES} <= places


def test_notebooks_have_their_pictures():
    for notebook in (SITE / "notebooks").glob("*.html"):
        assert "_images/" in notebook.read_text(encoding="utf-8"), notebook


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tmp_path_factory.mktemp("profile")
    for flag in [*FLAGS.split(), "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.implicitly_wait(20)
    yield driver
    driver.quit()


@pytest.mark.parametrize("words", FIRST)
def test_search_finds_the_page(browser, words):
    browser.get(f"{(SITE / 'search.html').resolve().as_uri()}?q={words}")
    first = browser.find_element("css selector", "#search-results ul.search li a").get_attribute("href")
    assert urlsplit(first).path.rsplit("/", 1)[-1] in FIRST[words]
