import { useTexts } from '../../i18n/language';
import { Chip, type Tone } from '../../ui/basics';
import type { Provider } from './queries';

const tones: Record<Provider['state'], Tone> = { draft: 'neutral', tested: 'wait', on: 'good', off: 'neutral' };

/** The state of an identity provider. */
export function ProviderState({ state }: { state: Provider['state'] }) {
  const t = useTexts('people').providerstate;
  return <Chip tone={tones[state]}>{t[state]}</Chip>;
}
