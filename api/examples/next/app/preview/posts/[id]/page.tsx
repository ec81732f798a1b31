// The page of a post as an editor has typed it, drawn for who has the preview token of the dashboard.
import type { Metadata } from 'next';
import { cookies, draftMode } from 'next/headers';
import { Suspense } from 'react';
import { editorOrigin, previewed } from '../../../../lib/cms';
import { cookieName } from '../../../../lib/preview';
import { Connect } from '../../../connect';
import { Post } from '../../../post';

type Props = { params: Promise<{ id: string }> };

export const metadata: Metadata = { title: 'Preview', robots: { index: false }, referrer: 'no-referrer' };

// Without a token the page has this script alone: it gets the token, keeps it in a cookie, and is loaded again.
export default function Page({ params }: Props) {
  return (
    <Suspense>
      <Draft params={params} />
    </Suspense>
  );
}

async function Draft({ params }: Props) {
  const token = (await cookies()).get(cookieName)?.value;
  const { isEnabled } = await draftMode();
  const post = isEnabled && token ? await previewed(token, Number((await params).id)) : undefined;
  return (
    <>
      {post ? <Post post={post} inPreview /> : <p>No preview</p>}
      <Connect origin={editorOrigin()} />
    </>
  );
}
