// Runs the example of the API guide for the first picture of the library, and loads each of its addresses.
import assert from 'node:assert/strict'

const [module, base, token, project] = process.argv.slice(2)
const { imageOf } = await import(module)
const answer = await fetch(`${base}/public/v2/projects/${project}/media?type=image&search=harbour`, { headers: { Authorization: `Bearer ${token}` } })
const picture = (await answer.json()).data.find((item) => item.mimeType === 'image/jpeg')
assert.match(picture.color, /^#[0-9a-f]{6}$/)
const image = imageOf(picture)
assert.ok(image.includes(`background: ${picture.color}`), image)
const addresses = /srcset="([^"]*)"/.exec(image)[1].replaceAll('&amp;', '&').split(', ').map((one) => one.split(' '))
assert.equal(addresses.length, 4)
for (const [address, name] of addresses) {
  const loaded = await fetch(address, { headers: { Accept: 'image/webp' } })
  assert.equal(loaded.status, 200)
  assert.equal(loaded.headers.get('content-type'), 'image/webp')
  const bytes = new DataView(await loaded.arrayBuffer())
  assert.equal(bytes.getUint32(12), 0x56503820, 'a lossy WebP')
  const size = [bytes.getUint16(26, true), bytes.getUint16(28, true)]
  const width = Math.min(Number(name.slice(0, -1)), picture.width)
  assert.deepEqual(size, [width, width / 2], address)
  console.log(address, ...size)
}
