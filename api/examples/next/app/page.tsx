import Link from 'next/link';
import { newest } from '../lib/cms';

export default async function Home() {
  return (
    <>
      <h1>Posts</h1>
      <ul>
        {(await newest()).map(({ id, slug, title }) => (
          <li key={id}>
            <Link href={`/posts/${slug}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}
