// Rates pages of a site by Lighthouse, each category of which must reach 95 of 100.
// Arguments: addresses of pages. CHROME_PATH names the browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

for (const address of process.argv.slice(2)) {
  const options = ["--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox --disable-gpu"];
  const report = JSON.parse(execFileSync("npx", ["--yes", "lighthouse@12.8.2", address, ...options], { encoding: "utf8", maxBuffer: 1 << 26 }));
  const scores = Object.entries(report.categories).map(([name, { score }]) => [name, Math.round(score * 100)]);
  console.log(address, Object.fromEntries(scores));
  for (const [name, score] of scores) assert.ok(score >= 95, `${name} of ${address}: ${score}`);
}
