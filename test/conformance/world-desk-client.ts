// Uses the types of the World Desk that "imprimatur types" wrote. Compiling it is the test.
import type { Articles, Collections, Countries, MediaView } from "./world-desk.js";

async function read<Slug extends keyof Collections>(base: string, slug: Slug): Promise<Collections[Slug][]> {
  const response = await fetch(`${base}/collections/${slug}/entries`);
  return ((await response.json()) as { data: Collections[Slug][] }).data;
}

export async function neighbours(base: string): Promise<string[]> {
  const countries: Countries[] = await read(base, "countries");
  // @ts-expect-error: no such collection
  await read(base, "nothing");
  return countries.flatMap((country) => {
    const name: string = country.name ?? country.locale;
    const area: number | null = country.area;
    // @ts-expect-error: a value can be null
    const sure: string = country.name;
    // @ts-expect-error: not a locale of the Project
    if (country.locale === "xx") return [];
    return country.borders.map((border) => ("collection" in border ? border.collection : (border.name ?? `${sure}${area}`)) + name);
  });
}

export function describe(article: Articles): string {
  const picture: MediaView | null = article.cover;
  return `${article.publishedAt ?? "draft"} ${article.createdAt ?? ""} ${article.tags.join()} ${picture?.thumbWebpUrl ?? picture?.fullUrl}`;
}
