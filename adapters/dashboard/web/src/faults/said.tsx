import { lazy, Suspense } from 'react';
import { withTexts } from '../texts/load';

type Props = {
  code?: string;
  text: string;
  /** Whether the text stands by itself, below a field, and not after a name. */
  alone?: boolean;
};

const Words = lazy(() =>
  withTexts(import('./words'), 'faults').then(
    (module) => ({ default: module.Words }),
    () => ({ default: ({ text }: Props) => text }), // offline: show the original text
  ),
);

/**
 * An error text of the API in the user's language: the sentence for the problem's code, or the
 * translated text. The translations are loaded when the first error is shown.
 */
export function Said(props: Props) {
  return (
    <Suspense fallback={null}>
      <Words {...props} />
    </Suspense>
  );
}
