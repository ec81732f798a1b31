import { lazy, useState, type ComponentType } from 'react';

/**
 * A component whose code is loaded apart. Where its load has ended before, it is rendered at once:
 * React.lazy shows the fallback first even then.
 */
export function apart<P extends object>(fetch: () => Promise<ComponentType<P>>) {
  let loaded: ComponentType<P> | undefined;
  const load = async () => (loaded = await fetch());
  const Lazy = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  function Apart(props: P) {
    const [Component] = useState<ComponentType<P>>(() => loaded ?? Lazy); // one type as long as it is shown
    return <Component {...props} />;
  }
  return Object.assign(Apart, { load });
}
