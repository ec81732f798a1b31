import { Suspense } from 'react';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { withTexts } from '../texts/load';
import { apart } from '../ui/apart';
import styles from './account.module.css';
import { Address } from './address';
import { Appearance } from './appearance';
import { Factors } from './factors';
import { NoticeSettings } from './notices';
import { Passkeys } from './passkeys';
import { Password } from './password';
import { Profile } from './profile';
import { Sessions } from './sessions';
import { SignIns } from './signins';

const Delegations = apart(() => import('./delegations').then((m) => m.Delegations));
const Assistants = apart(() => withTexts(import('./assistants'), 'tokens').then((m) => m.Assistants));
const OwnTokens = apart(() => import('./tokens').then((m) => m.OwnTokens));

/** The account page of the signed-in user. */
export function AccountPage() {
  const t = useTexts('account').account;
  const { mail } = useSession();
  return (
    <Page title={t.title} width="text">
      <PageHead title={t.title} />
      <div className={styles.parts}>
        <Profile />
        {mail && <Address />}
        <Appearance />
        <NoticeSettings />
        <Password />
        <Factors />
        <Passkeys />
        <SignIns />
        <Sessions />
        <Suspense fallback={null}>
          <Delegations />
          <Assistants />
          <OwnTokens />
        </Suspense>
      </div>
    </Page>
  );
}
