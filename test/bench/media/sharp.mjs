// Makes the variants of one file with sharp, the given number of times concurrently, with the
// same sizes, qualities and formats as imprimatur, and prints the cost.
import sharp from 'sharp'
import { readFileSync } from 'node:fs'

const [file, alpha, atOnce] = process.argv.slice(2)
const within = (side) => sharp(file).autoOrient().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })

const variants = async () => {
  const thumb = within(320)
  const made = await Promise.all([
    (alpha === 'true' ? thumb.png() : thumb.jpeg({ quality: 80 })).toBuffer(),
    within(320).webp({ quality: 80, effort: 2 }).toBuffer(),
    within(2560).webp({ quality: 80, effort: 2 }).toBuffer(),
  ])
  return made.reduce((sum, m) => sum + m.length, 0)
}

const cpu = process.cpuUsage()
const start = process.hrtime.bigint()
const bytes = await Promise.all(Array.from({ length: Number(atOnce) }, variants))
const wall = Number(process.hrtime.bigint() - start) / 1e6
const used = process.cpuUsage(cpu)
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
console.log(JSON.stringify({ wall, cpu: (used.user + used.system) / 1000, peak, bytes: bytes[0] }))
