// Reads an export of WordPress without the program, and prints what a reader of its posts sees: for each post of a
// type, its id, status, title, slug, terms, and the words and targets of its content.
import { readFileSync } from 'node:fs'

const xml = readFileSync(process.argv[2], 'utf8')
const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' }
const unescape = (text) =>
  text.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (all, name) => {
    if (name[0] !== '#') return entities[name] ?? all
    return String.fromCodePoint(name[1].toLowerCase() === 'x' ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10))
  })
const inside = (text, name) => {
  const found = new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`).exec(text)
  return found ? value(found[1]) : ''
}
const value = (raw) => {
  let out = ''
  for (const part of raw.split(/(<!\[CDATA\[[\s\S]*?\]\]>)/)) out += part.startsWith('<![CDATA[') ? part.slice(9, -3) : unescape(part)
  return out.trim()
}
const words = (html) => unescape(html.replace(/<[^>]*>/g, ' ')).split(/\s+/).filter(Boolean)

const posts = []
for (const [, item] of xml.matchAll(/<item>([\s\S]*?)<\/item>/g)) {
  const outside = item.replace(/<content:encoded>[\s\S]*?<\/content:encoded>/, '').replace(/<wp:comment>[\s\S]*?<\/wp:comment>/g, '')
  const content = inside(item, 'content:encoded')
  const terms = [...outside.matchAll(/<category domain="([^"]*)" nicename="([^"]*)">/g)].map((m) => `${m[1]}/${m[2]}`)
  posts.push({
    id: inside(outside, 'wp:post_id'),
    type: inside(outside, 'wp:post_type'),
    status: inside(outside, 'wp:status'),
    title: words(inside(outside, 'title')).join(' '),
    slug: inside(outside, 'wp:post_name'),
    terms: [...new Set(terms)],
    words: words(content.replace(/<!--[\s\S]*?-->/g, ' ')),
    links: [...content.matchAll(/<a [^>]*href="([^"]*)"/g)].map((m) => unescape(m[1])),
    pictures: [...content.matchAll(/<img [^>]*src="([^"]*)"/g)].map((m) => unescape(m[1])),
  })
}
process.stdout.write(JSON.stringify(posts))
