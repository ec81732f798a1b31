import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { asApiError } from '../../api/error';
import { useSession } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Problem } from '../../ui/basics';
import { Button } from '../../ui/button';
import { DateField } from '../../ui/datefield';
import { Select } from '../../ui/forms';
import { Confirm } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { tenantQuery } from '../queries';
import { countWithout, dayAhead, hasBegun } from './factorday';
import styles from '../settings.module.css';

type Tenant = Schemas['Tenant'];

const off = 'off';

/** From when on the users of a tenant need a second step when they sign in. A new day is asked about before it is stored. */
export function FactorPolicy({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const set = tenant.requireSecondFactor?.from.slice(0, 10);
  const [from, setFrom] = useState(set ?? off);
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (day: string) =>
      api.PATCH('/api/tenants/{tenantId}', { params: { path: { tenantId: tenant.id } }, body: { requireSecondFactor: day === off ? null : { from: day } } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tenantQuery(tenant.id).queryKey });
      toast(t.saved);
    },
    onSettled: () => setAsking(false),
  });
  const choose = (choice: 'off' | 'on') => {
    setFrom(choice === 'on' ? (set ?? dayAhead(Date.now())) : off);
    if (choice === 'off' && set) change.mutate(off);
  };
  return (
    <div className={styles.narrow}>
      {change.error && <Problem error={asApiError(change.error)} />}
      <Select
        label={t.factor}
        hint={t.factorHint}
        value={from === off ? 'off' : 'on'}
        onChange={choose}
        options={[
          { id: 'off', label: t.factorOff },
          { id: 'on', label: t.factorOn },
        ]}
      />
      {from !== off && (
        <div className={styles.below}>
          <DateField kind="date" label={t.factorFrom} hint={t.factorMidnight} value={from} onChange={(day) => setFrom(day ?? '')} />
          <Button isDisabled={!from || from === set} onPress={() => setAsking(true)}>
            {t.save}
          </Button>
        </div>
      )}
      {isAsking && <Question tenant={tenant} day={from} isPending={change.isPending} onClose={() => setAsking(false)} onConfirm={() => change.mutate(from)} />}
    </div>
  );
}

type QuestionProps = { tenant: Tenant; day: string; isPending: boolean; onClose: () => void; onConfirm: () => void };

/** Says who has to do something, and from when on. */
function Question({ tenant, day, isPending, onClose, onConfirm }: QuestionProps) {
  const t = useTexts('settings').tenant;
  const format = useFormat();
  const session = useSession();
  const count = useQuery({
    queryKey: ['accounts without a factor', tenant.id],
    queryFn: () =>
      countWithout(async (offset, limit) => {
        const page = await dataOf(api.GET('/api/users', { params: { query: { tenantId: tenant.id, offset, limit } } }));
        return { accounts: page.data, hasMore: page.meta.hasMore };
      }),
    enabled: may(tenant, 'user.list'),
    gcTime: 0,
  });
  const begun = hasBegun(day, Date.now());
  return (
    <Confirm title={t.factorAsk(format.day(day))} isOpen onClose={onClose} onConfirm={onConfirm} action={t.factorRequire} isPending={isPending}>
      {count.isLoading && <p role="status">{t.factorCounting}</p>}
      {count.data && (
        <p>
          <b>{t.factorWithout(count.data.without, count.data.of, count.data.more)}</b>
        </p>
      )}
      <p>{begun ? t.factorNow : t.factorBy(format.dateTime(`${day}T00:00:00Z`))}</p>
      <p>{t.factorOthers}</p>
      {session.factors.length === 0 && <p>{t.factorYou}</p>}
    </Confirm>
  );
}
