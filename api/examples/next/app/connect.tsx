'use client';

import { connect } from '@imprimatur/client/preview';
import { useEffect } from 'react';

/** Takes the preview token of the page around the frame. */
export function Connect({ origin }: { origin: string }) {
  useEffect(() => connect({ origin, exchange: '/preview/session' }), [origin]);
  return null;
}
