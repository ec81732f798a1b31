import type { Tone } from '../ui/basics';
import type { ReleaseState } from './search';

export const stateTones: Record<ReleaseState, Tone> = { open: 'neutral', pending: 'wait', approved: 'accent', published: 'good', closed: 'neutral' };
