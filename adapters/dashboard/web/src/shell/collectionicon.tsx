import { Newspaper } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Icon } from './icons';

const Default = () => <Newspaper aria-hidden />;

// Loaded on demand, beside the page: every page has the navigation, and few need one of these icons.
// A page without them is better than none.
const Chosen = lazy(() => import('./icons').catch(() => ({ default: Default })));

/** The icon of a collection. */
export function CollectionIcon({ icon }: { icon: Icon }) {
  if (icon === 'article') return <Default />;
  return (
    <Suspense fallback={<svg className="lucide" aria-hidden />}>
      <Chosen icon={icon} />
    </Suspense>
  );
}
