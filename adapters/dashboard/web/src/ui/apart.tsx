import { lazy, useState, type ComponentType } from 'react';

/**
 * Returns a component with code that is loaded on demand. Code that is already loaded is rendered
 * at once; React.lazy would still show the fallback first.
 */
export function apart<P extends object>(fetch: () => Promise<ComponentType<P>>) {
  let loaded: ComponentType<P> | undefined;
  const load = async () => (loaded = await fetch());
  const Lazy = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  function Apart(props: P) {
    const [Component] = useState<ComponentType<P>>(() => loaded ?? Lazy); // the type must not change while it is mounted
    return <Component {...props} />;
  }
  return Object.assign(Apart, { load });
}
