// Clicks through the example site in Chromium, as a reader does, and previews a draft in the dashboard, as an editor does.
// Arguments: address of the site, file with the facts of the demo, path of the browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [site, factsFile, executablePath] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, "utf8"));
const cms = facts.baseUrl;
const { id: project } = facts.projects.worldDesk;
const content = `${cms}/api/projects/${project}/collections/${facts.collections.articles}/content`;

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
const faults = [];

/** Opens a page with a session of its own, as a user of the demo or as a reader. */
async function open(user) {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  if (user) assert.ok((await context.request.post(`${cms}/api/session`, { data: facts.users[user], headers: { Origin: cms } })).ok(), user);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`${error}`));
  return page;
}

async function send(page, method, address, data) {
  const response = await page.context().request.fetch(address, { method, headers: { Origin: cms }, ...(data && { data }) });
  assert.ok(response.ok(), `${method} ${address}: ${response.status()} ${await response.text()}`);
  return response.json();
}

const shown = (locator) => locator.waitFor({ state: "visible" });

/** Scrolls to each picture of a page, and returns the addresses that the browser chose once it has drawn them. */
async function pictures(page) {
  const chosen = [];
  for (const picture of await page.locator("main img").all()) {
    await picture.scrollIntoViewIfNeeded();
    chosen.push(await picture.evaluate((img) => img.decode().then(() => img.currentSrc)));
  }
  return chosen;
}

// Pages and pictures: the list, an article with its cover, its country, the menu.
const reader = await open();
reader.on("console", (message) => message.type() === "error" && faults.push(message.text()));
await reader.goto(`${site}/`);
assert.equal(reader.url(), `${site}/en/`);
const first = reader.locator("main .list a").first();
const title = await first.textContent();
await first.click();
await shown(reader.getByRole("heading", { level: 1, name: title }));
const address = reader.url();
const [cover] = await pictures(reader);
assert.match(cover, /\?.*\bar=16(:|%3A)9/, "the cover");
await reader.locator("article .meta a").click();
await reader.waitForURL(/\/en\/countries\/[^/]+\/$/);
await reader.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "About" }).click();
await shown(reader.locator("blockquote"));
assert.ok((await pictures(reader)).length > 1);

// Languages: a translated page, and one that is not translated, which the list of the other language has.
await reader.goto(`${site}/en/countries/tur/`);
await reader.getByRole("navigation", { name: "Language" }).getByRole("link", { name: "日本語" }).click();
await reader.waitForURL(`${site}/ja/countries/tur/`);
assert.equal(await reader.locator("html").getAttribute("lang"), "ja");
await shown(reader.getByRole("heading", { level: 1, name: "トルコ" }));
await reader.goto(address);
await reader.getByRole("navigation", { name: "Language" }).getByRole("link", { name: "Deutsch" }).click();
await reader.waitForURL(`${site}/de/`);
await reader.locator("main .list a", { hasText: title }).click();
await shown(reader.getByText("noch nicht übersetzt"));

// Search, by keyboard.
await reader.getByRole("link", { name: "Suche" }).click();
const words = reader.getByRole("searchbox");
await words.fill(title.split(" ").find((word) => /^\p{L}{6,}$/u.test(word)));
await words.press("Enter");
await reader.locator("main .list a", { hasText: title }).click();
await reader.waitForURL(address.replace("/en/", "/de/"));

// The editor types beside the preview, which the site draws. Readers see nothing of it.
const id = (await send(await open("editor"), "GET", `${content}?limit=500&fields=title`)).data.find((entry) => entry.fields.title === title).id;
const editor = await open("editor");
await editor.goto(`${cms}/dashboard/projects/${project}/collections/${facts.collections.articles}/entries/${id}`);
await editor.getByRole("button", { name: "Preview", exact: true }).click();
const inside = editor.frameLocator('iframe[src^="/dashboard/frame/"]').frameLocator("iframe");
await shown(inside.getByRole("heading", { level: 1, name: title }));
const draft = "Typed in the browser, beside the page";
await editor.getByRole("textbox", { name: "Title" }).fill(draft);
await shown(inside.getByRole("heading", { level: 1, name: draft }));
await inside.locator("[data-imprimatur$=':summary']").click();
const summary = await editor.getByRole("textbox", { name: "Summary" }).elementHandle();
await editor.waitForFunction((field) => field === document.activeElement, summary);
for (const path of [address, `${site}/en/`, `${site}/en/search/?q=beside`, `${site}/preview/articles/${id}/?locale=en`]) {
  await reader.goto(path);
  assert.ok(!(await reader.content()).includes(draft), path);
}
faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes("404"))); // the preview, which is no page for readers

// The publication shows to a reader who loads the page again.
await editor.getByText("Up to date").waitFor();
await send(editor, "POST", `${content}/${id}/publish`);
for (const name of ["projectAdmin", "legal", "departmentAdmin"]) await send(await open(name), "POST", `${content}/${id}/approval/approve`);
const published = Date.now();
await reader.goto(address);
for (const end = published + 60_000; (await reader.locator("h1").textContent()) !== draft; await reader.reload()) assert.ok(Date.now() < end, "the publication is not on the site");
const took = Date.now() - published;
await reader.goto(`${site}/en/`);
await shown(reader.locator("main .list a", { hasText: draft }));
assert.deepEqual(faults, []);
await browser.close();
console.log(`in Chromium ${browser.version()} the publication was on the site after ${took} ms`);
