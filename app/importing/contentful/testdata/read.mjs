// Reads an export of Contentful without the program, and prints for each entry and locale what a reader sees: the words
// of its texts, and the ids of what its links and its rich text point to, as far as that is in the export.
import { readFileSync } from 'node:fs'

const space = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const main = space.locales.find((l) => l.default).code
const fallback = Object.fromEntries(space.locales.map((l) => [l.code, l.fallbackCode]))
const types = Object.fromEntries(space.contentTypes.map((t) => [t.sys.id, t]))
const there = new Set([...space.entries.filter((e) => types[e.sys.contentType.sys.id] && !e.sys.archivedAt), ...space.assets].map((e) => e.sys.id))
const words = (text) => text.split(/\s+/).filter(Boolean)

const walk = (node, seen) => {
  if (node.nodeType === 'text') seen.words.push(...words(node.value))
  const target = node.data?.target?.sys.id
  if (target && there.has(target)) seen.targets.push(target)
  for (const child of node.content ?? []) walk(child, seen)
  return seen
}
const value = (field, values, locale) => {
  for (let at = locale; at; at = fallback[at]) if (values[at] !== undefined) return values[at]
  return field.localized ? undefined : values[main]
}

const out = []
const known = new Set()
for (const entry of space.entries) {
  const type = types[entry.sys.contentType.sys.id]
  if (!type || entry.sys.archivedAt || known.has(entry.sys.id)) continue
  known.add(entry.sys.id)
  for (const { code } of space.locales) {
    if (code !== main && !Object.values(entry.fields).some((v) => v[code] !== undefined)) continue
    const seen = { id: entry.sys.id, locale: code, type: type.sys.id, public: entry.sys.publishedVersion !== undefined && entry.sys.version === entry.sys.publishedVersion + 1, words: [], targets: [] }
    for (const field of type.fields) {
      const found = value(field, entry.fields[field.id] ?? {}, code)
      if (field.type === 'RichText' && found) walk(found, seen)
      if (field.type === 'Text' && found) seen.words.push(...words(found))
      for (const link of field.type === 'Array' ? found ?? [] : [found]) if (link?.sys && there.has(link.sys.id)) seen.targets.push(link.sys.id)
    }
    out.push(seen)
  }
}
process.stdout.write(JSON.stringify(out))
