// Uses the client with the types of the demo's World Desk. Compiling it is the test.
import { createClient, type Client, type Page } from "@imprimatur/client";
import type { Articles, Change, Countries, MediaView, Schema } from "./world-desk.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

export async function lists(client: Client<Schema>): Promise<void> {
  const whole = await client.entries("articles", { sort: "publishedOn:desc", locale: "de", where: { category: "news", views: { gt: 5 }, country: 3, "country.name": { like: "a" } } });
  same<typeof whole, Page<Articles>>(true);

  const some = await client.entries("articles", { fields: ["title", "country.name", "cover.alt"], or: [{ featured: true }, { tags: { in: ["a", "b"] } }] });
  const article = some.data[0]!;
  same<keyof typeof article, "id" | "locale" | "title" | "country" | "cover">(true);
  same<typeof article.title, string | null>(true);
  same<typeof article.cover, Partial<MediaView> | null>(true);
  if (article.country && !("collection" in article.country)) {
    same<typeof article.country.name, string | null | undefined>(true);
  }
  // @ts-expect-error: not among the fields
  article.summary;

  const star = await client.entry("articles", 1, { fields: ["*", "country.name"] });
  same<typeof star.summary, string | null>(true);

  const extras = await client.entry("countries", 1, { alternates: true, referrers: ["articles.country:2"] });
  same<(typeof extras._alternates)[number]["id"], number>(true);
  extras._referrers["articles.country"].total.toFixed();
  // @ts-expect-error: only with alternates
  whole.data[0]!._alternates;

  for await (const country of client.all("countries", { where: { area: { between: [1, 2] } } })) same<typeof country, Countries>(true);
  (await client.counts("articles", "publishedOn:month", { where: { featured: true } }))[0]!.count.toFixed();
}

export async function refused(client: Client<Schema>): Promise<void> {
  // @ts-expect-error: no such collection
  await client.entries("nothing");
  // @ts-expect-error: no such field
  await client.entries("articles", { fields: ["nothing"] });
  // @ts-expect-error: no such parameter
  await client.entries("articles", { wheer: {} });
  // @ts-expect-error: a number
  await client.entries("articles", { where: { views: "many" } });
  // @ts-expect-error: no such operator
  await client.entries("articles", { where: { views: { above: 5 } } });
  // @ts-expect-error: no such field
  await client.entries("articles", { where: { nothing: 5 } });
  // @ts-expect-error: no such order
  await client.entries("articles", { sort: "title:down" });
  // @ts-expect-error: not a locale of the Project
  await client.entries("articles", { locale: "xx" });
  // @ts-expect-error: the Project has no collection with a single entry
  await client.singleton("pages");
  // @ts-expect-error: not one of the widths
  client.image({ fullUrl: "", width: null }, { w: 641 });
  // @ts-expect-error: a height takes a width
  client.image({ fullUrl: "", width: null }, { h: 640 });
  // @ts-expect-error: a ratio stands in place of the height
  client.image({ fullUrl: "", width: null }, { w: 640, h: 640, ar: "16:9" });
  client.image({ fullUrl: "", width: null }, { w: 640, ar: "9:16", format: "webp" });
}

export async function copy(client: Client<Schema>): Promise<void> {
  for await (const page of client.changes({ follow: false })) {
    for (const change of page.data) {
      same<typeof change, Change>(true);
      if (change.op === "put" && change.collection === "articles") {
        same<typeof change.entry.country, { group: number; collection: string } | null>(true);
        same<typeof change.entry.cover, MediaView | { id: number } | null>(true);
        same<typeof change.entry.tags, string[]>(true);
      }
    }
  }
}

export function blocks(page: Schema["collections"]["pages"]): string[] {
  return page.body.map((block) => {
    switch (block._type) {
      case "hero":
        return block.lead ?? "";
      case "gallery":
        return block.images.map((picture) => picture.fullUrl).join();
      case "related":
        return block.entries.map((entry) => ("collection" in entry ? entry.collection : (entry.title ?? ""))).join();
      default:
        return block._key;
    }
  });
}

export async function untyped(): Promise<unknown> {
  const client = createClient({ url: "https://cms.example.org", project: "", token: "" });
  const page = await client.entries("anything", { where: { title: { like: "a" } }, fields: ["title"] });
  return page.data[0]?.["title"];
}
