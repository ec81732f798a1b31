// Makes the renditions of one file with sharp, the given number of times concurrently, with the
// same sizes, qualities and formats as imprimatur, or the picture in another size a few times,
// and prints the cost of one.
import sharp from 'sharp'
import { readFileSync } from 'node:fs'

const [file, alpha, atOnce, width, format] = process.argv.slice(2)
const repeats = Number(width) > 0 ? 5 : 1
sharp.cache(false)
const within = (side) => sharp(file).autoOrient().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })

const renditions = async () => {
  const thumb = within(320)
  const made = await Promise.all([
    (alpha === 'true' ? thumb.png() : thumb.jpeg({ quality: 80 })).toBuffer(),
    within(320).webp({ quality: 80, effort: 2 }).toBuffer(),
    within(2560).webp({ quality: 80, effort: 2 }).toBuffer(),
  ])
  return made.reduce((sum, m) => sum + m.length, 0)
}

const inSize = async () => {
  let made
  for (let n = 0; n < repeats; n++) {
    const picture = sharp(file).autoOrient().resize({ width: Number(width), fit: 'inside', withoutEnlargement: true })
    made = await (format === 'webp' ? picture.webp({ quality: 75, effort: 2 }) : picture.jpeg({ quality: 75 })).toBuffer()
  }
  return made.length
}

const cpu = process.cpuUsage()
const start = process.hrtime.bigint()
const bytes = Number(width) > 0 ? [await inSize()] : await Promise.all(Array.from({ length: Number(atOnce) }, renditions))
const wall = Number(process.hrtime.bigint() - start) / 1e6
const used = process.cpuUsage(cpu)
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
console.log(JSON.stringify({ wall: wall / repeats, cpu: (used.user + used.system) / 1000 / repeats, peak, bytes: bytes[0] }))
