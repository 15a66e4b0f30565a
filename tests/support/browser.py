"""Server of the page as a process, and headless Chromium."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

TIMEOUT = 120  # seconds, for slow machines
_FLAGS = (
    "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
    "disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars",
)  # fmt: skip
_IDLE = """
    const busy = document.getElementById("actions").getAttribute("aria-busy") === "true";
    return busy ? null : arguments[0].find((id) => document.getElementById(id).offsetParent !== null) ?? null;
"""


def missing() -> str:
    """Return the missing requirements of these tests, or an empty text."""
    modules = [name for name in ("selenium", "starlette", "uvicorn") if importlib.util.find_spec(name) is None]
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    extras = [f"{name}: pip install 'diamant-env[browser,web]'" for name in modules]
    return "; ".join(extras + [f"{name}: apt-get install chromium chromium-driver" for name in programs])


class Server:
    def __init__(self, stderr: int | None = None) -> None:
        command = [sys.executable, "-m", "diamant_env", "page", "--no-browser", "--port", "0"]
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=root)
        assert self.process.stdout is not None
        says = r"The page is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\.\n"
        self.address = re.fullmatch(says, self.process.stdout.readline())[1]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class Browser:
    """Headless Chromium, with its profile and downloads in an empty folder."""

    def __init__(self, folder: Path) -> None:
        from selenium import webdriver
        from selenium.webdriver.support.ui import WebDriverWait

        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*_FLAGS, f"user-data-dir={folder / 'user'}"):
            options.add_argument(f"--{flag}")
        self.downloads = folder / "downloads"
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(str(shutil.which("chromedriver")))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(TIMEOUT)
        self._wait = WebDriverWait(self.driver, TIMEOUT, poll_frequency=0.05)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.run("localStorage.clear(); sessionStorage.clear()")
        self.driver.get(address)
        self.shows("play")

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript in the page and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments: Any) -> Any:
        """Wait until JavaScript returns something true, and return it."""
        return self._wait.until(lambda _: self.run(script, *arguments), message=script)

    def shows(self, *ids: str) -> str:
        """Wait until nothing is under way and one of these elements is shown; return the first that is."""
        return str(self.until(_IDLE, ids))

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def click(self, element_id: str) -> None:
        """Click with the mouse, unless the element went away just before."""
        from selenium.common.exceptions import ElementClickInterceptedException, ElementNotInteractableException

        with suppress(ElementClickInterceptedException, ElementNotInteractableException):
            self.driver.find_element("id", element_id).click()

    def press(self, keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def downloaded(self) -> Path:
        return Path(self._wait.until(lambda _: next(self.downloads.glob("*.json"), None)))

    def title(self) -> str:
        return self.text("#title")

    def stored_games(self) -> list[dict[str, Any]]:
        found = (
            "return Object.keys(localStorage).filter((k) => k.startsWith('diamant:game:')).map((k) => localStorage[k])"
        )
        return [json.loads(text) for text in self.run(found)]

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self) -> list[str]:
        """Return the addresses of all requests since the page was loaded."""
        return list(self.run("return performance.getEntriesByType('resource').map((entry) => entry.name)"))
