import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { $api, api, type Schemas } from '../../api/client';
import { asApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { Problem, Skeleton, Time } from '../../ui/basics';
import { Button } from '../../ui/button';
import { toast } from '../../ui/toast';
import { Row, Rows } from '../parts';

/** The identity providers by which a user signs in. Admins unlink the account of another user. */
export function UserLinks({ user, unlinks }: { user: Schemas['Account']; unlinks: boolean }) {
  const t = useTexts('people').userlinks;
  const query = $api.useQuery('get', '/api/users/{userId}/identity-providers', { params: { path: { userId: user.id } } });
  const unlink = useMutation({
    mutationFn: ({ id }: { id: number; name: string }) => api.DELETE('/api/users/{userId}/identity-providers/{providerId}', { params: { path: { userId: user.id, providerId: id } } }),
    onSuccess: (_, { name }) => toast(t.unlinked(user.name, name)),
    onSettled: () => query.refetch(),
  });
  const links = query.data?.data;
  return (
    <>
      <p>{t.lead}</p>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!links && !query.error && <Skeleton />}
      {links?.length === 0 && <p>{t.none}</p>}
      {links && links.length > 0 && (
        <Rows label={t.title(user.name)}>
          {links.map((link) => (
            <Row
              key={link.id}
              icon={<KeyRound aria-hidden />}
              title={link.name}
              meta={
                <span>
                  {t.linked} <Time value={link.linkedAt} />
                </span>
              }
              actions={
                unlinks && (
                  <Button kind="quiet" aria-label={t.unlinkOne(link.name)} isPending={unlink.isPending} onPress={() => unlink.mutate(link)}>
                    {t.unlink}
                  </Button>
                )
              }
            />
          ))}
        </Rows>
      )}
      {unlink.error && <Problem error={asApiError(unlink.error)} />}
    </>
  );
}
