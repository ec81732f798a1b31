import { lazy, Suspense } from 'react';

type Props = { code?: string; text: string };

const Words = lazy(() =>
  import('./words').then(
    (module) => ({ default: module.Words }),
    () => ({ default: ({ text }: Props) => text }), // without a connection, the text as it came
  ),
);

/**
 * What the API says is wrong, in the user's language: the sentence for the code of a problem, or
 * the text itself. The words are loaded when the first fault is shown.
 */
export function Said(props: Props) {
  return (
    <Suspense fallback={null}>
      <Words {...props} />
    </Suspense>
  );
}
