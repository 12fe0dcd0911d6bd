"""A site as a browser shows it: headless Chromium opens each page in a frame and says what it sees."""

import functools
import html
import http.server
import json
import re
import shutil
import subprocess
import tempfile
import threading

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Opens the pages one after another, and leaves what it has seen in the document.
LOOK = """<!doctype html><title>looking</title><iframe id="page" style="width: WIDTHpx; height: 700px"></iframe><pre id="seen"></pre>
<script>
(async () => {
  const seen = {}, frame = document.getElementById("page");
  for (const name of PAGES) {
    await new Promise(done => { frame.onload = done; frame.src = "/" + name; });
    const page = frame.contentDocument, style = frame.contentWindow.getComputedStyle(page.body);
    seen[name] = {
      width: page.documentElement.scrollWidth, room: page.documentElement.clientWidth, background: style.backgroundColor, text: style.color,
      missing: frame.contentWindow.performance.getEntriesByType("resource").filter(each => each.responseStatus >= 400).map(each => each.name),
    };
  }
  document.getElementById("seen").textContent = JSON.stringify(seen);
})();
</script>"""


class _Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments, look, **options):
        self._look = look
        super().__init__(*arguments, **options)

    def do_GET(self):
        if self.path != "/look":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self._look)

    def log_message(self, *_):
        pass


def seen(site, pages, width, *, dark):
    """What a browser shows of the pages of a folder, by name: the width that a page needs in a window of a width, its colours,
    and what it loads in vain.
    """
    look = LOOK.replace("WIDTH", str(width)).replace("PAGES", json.dumps(sorted(pages))).encode()
    handler = functools.partial(_Handler, directory=str(site), look=look)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=3600000", "--dump-dom"]
        shown = subprocess.run(
            [*command, f"http://127.0.0.1:{server.server_port}/look"], capture_output=True, text=True, timeout=1200, check=False
        )
        server.shutdown()
    found = re.search(r'<pre id="seen">(.+?)</pre>', shown.stdout, re.DOTALL)
    if found is None:
        raise AssertionError(f"the browser saw nothing:\n{shown.stdout[-1000:]}\n{shown.stderr[-1000:]}")
    return json.loads(html.unescape(found[1]))
