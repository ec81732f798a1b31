import { notFound } from 'next/navigation';
import { newest, postNamed } from '../../../lib/cms';
import { Post } from '../../post';

type Props = { params: Promise<{ name: string }> };

export async function generateStaticParams() {
  return (await newest()).map(({ slug }) => ({ name: slug ?? '' }));
}

export async function generateMetadata({ params }: Props) {
  return { title: (await postNamed((await params).name))?.title };
}

export default async function Page({ params }: Props) {
  const post = await postNamed((await params).name);
  if (!post) notFound();
  return <Post post={post} />;
}
