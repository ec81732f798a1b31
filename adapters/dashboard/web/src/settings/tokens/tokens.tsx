import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Chip, Empty, Mono, Problem, Skeleton, Time, useNow } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Dialog, Menu, MenuItem } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Deletion } from '../deletion';
import { ProjectPage, Row, Rows } from '../parts';
import { Secret } from './secret';
import { abilities, bodyOf, newToken, TokenFields, valuesOf } from './tokenform';
import { TokenUsage } from './tokenusage';

type Token = Schemas['Token'];
type Open = { what: 'create' } | { what: 'change' | 'usage' | 'revoke'; token: Token };

const route = getRouteApi('/app/projects/$projectId/tokens');
const tokensQuery = (projectId: number) => $api.queryOptions('get', '/api/projects/{projectId}/tokens', { params: { path: { projectId } } });

/** The tokens for the content API of a Project. */
export function TokensPage() {
  const t = useTexts('tokens').tokens;
  const { projectId } = route.useParams();
  const [open, setOpen] = useState<Open>();
  return (
    <ProjectPage
      projectId={projectId}
      title={t.title}
      lead={t.lead}
      actions={(project) =>
        may(project, 'token.manage') && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'create' })}>
            {t.create}
          </Button>
        )
      }
    >
      {(project) =>
        may(project, 'token.manage') ? (
          <>
            <Tokens projectId={projectId} onOpen={setOpen} />
            <Opened projectId={projectId} sharedCache={project.sharedCache} open={open} onClose={() => setOpen(undefined)} />
          </>
        ) : (
          <Empty title={t.notYours}>
            <p>{t.askAdmin}</p>
          </Empty>
        )
      }
    </ProjectPage>
  );
}

function Tokens({ projectId, onOpen }: { projectId: number; onOpen: (open: Open) => void }) {
  const t = useTexts('tokens').tokens;
  const query = useQuery(tokensQuery(projectId));
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const tokens = [...query.data.data.filter((token) => !token.revokedAt), ...query.data.data.filter((token) => token.revokedAt)];
  if (tokens.length === 0)
    return (
      <Empty title={t.none}>
        <p>{t.noneHint}</p>
      </Empty>
    );
  return (
    <Rows label={t.title}>
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} onOpen={onOpen} />
      ))}
    </Rows>
  );
}

function TokenRow({ token, onOpen }: { token: Token; onOpen: (open: Open) => void }) {
  const t = useTexts('tokens').tokens;
  const format = useFormat();
  const now = useNow();
  const can = abilities.filter((a) => token.abilities.includes(a)).map((a) => t.verbs[a]);
  const expired = token.expiresAt !== null && Date.parse(token.expiresAt) <= now;
  return (
    <Row
      dim={token.revokedAt !== null || expired || token.off}
      icon={<KeyRound aria-hidden />}
      title={
        <>
          {token.name}
          <Mono>…{token.hint}</Mono>
          {token.revokedAt ? (
            <Chip tone="bad">
              {t.revoked} <Time value={token.revokedAt} />
            </Chip>
          ) : (
            (expired && <Chip tone="bad">{t.expired}</Chip>) || (token.off && <Chip tone="wait">{t.off}</Chip>)
          )}
          {token.allowDrafts && <Chip plain>{t.drafts}</Chip>}
          {token.allowHistory && <Chip plain>{t.history}</Chip>}
        </>
      }
      meta={
        <>
          <span>{format.list(can)}</span>
          <span>{token.rateLimit === null ? t.defaultLimit : token.rateLimit === 0 ? t.noLimit : t.limit(format.number(token.rateLimit))}</span>
          {token.expiresAt && !expired && (
            <span>
              {t.until} <Time value={token.expiresAt} as="date" />
            </span>
          )}
        </>
      }
      aside={
        token.lastUsedAt ? (
          <>
            {t.used} <Time value={token.lastUsedAt} />
          </>
        ) : (
          t.unused
        )
      }
      actions={
        <Menu label={t.actions(token.name)} trigger={<IconButton label={t.actions(token.name)} icon={<Ellipsis aria-hidden />} />}>
          <MenuItem onAction={() => onOpen({ what: 'usage', token })}>{t.usage}</MenuItem>
          {!token.revokedAt && <MenuItem onAction={() => onOpen({ what: 'change', token })}>{t.change}</MenuItem>}
          {!token.revokedAt && (
            <MenuItem danger onAction={() => onOpen({ what: 'revoke', token })}>
              {t.revoke}
            </MenuItem>
          )}
        </Menu>
      }
    />
  );
}

/** How long shared caches answer from what they keep while they ask for it again, in seconds. */
const stale = 60;

/** The open dialog, if any. sharedCache is that of the Project. */
function Opened({ projectId, sharedCache, open, onClose }: { projectId: number; sharedCache: number; open: Open | undefined; onClose: () => void }) {
  const t = useTexts('tokens').tokens;
  const format = useFormat();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: tokensQuery(projectId).queryKey });
  return (
    <>
      <Dialog title={t.create} isOpen={open?.what === 'create'} onClose={onClose}>
        <CreateToken projectId={projectId} onClose={onClose} />
      </Dialog>
      <Dialog title={t.changeTitle} isOpen={open?.what === 'change'} onClose={onClose}>
        {open?.what === 'change' && <ChangeToken token={open.token} onClose={onClose} />}
      </Dialog>
      <Dialog title={open?.what === 'usage' ? t.usageOf(open.token.name) : ''} isOpen={open?.what === 'usage'} onClose={onClose}>
        {open?.what === 'usage' && (
          <>
            <TokenUsage projectId={projectId} tokenId={open.token.id} />
            <footer>
              <Button onPress={onClose}>{t.close}</Button>
            </footer>
          </>
        )}
      </Dialog>
      <Deletion
        title={open?.what === 'revoke' ? t.revokeTitle(open.token.name) : ''}
        isOpen={open?.what === 'revoke'}
        onClose={onClose}
        action={t.revoke}
        onDelete={async () => {
          if (open?.what !== 'revoke') return;
          await api.DELETE('/api/projects/{projectId}/tokens/{tokenId}', { params: { path: { projectId, tokenId: open.token.id } } });
          toast(t.wasRevoked(open.token.name));
          await refresh();
        }}
      >
        <p>{t.revokeText}</p>
        {sharedCache > 0 && <p>{t.revokeShared(format.number(sharedCache + stale))}</p>}
      </Deletion>
    </>
  );
}

function CreateToken({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const t = useTexts('tokens').tokens;
  const { timeZone } = useFormat();
  const client = useQueryClient();
  const [created, setCreated] = useState<Token>();
  const form = useForm(newToken, async (values) => {
    const { data } = await api.POST('/api/projects/{projectId}/tokens', { params: { path: { projectId } }, body: bodyOf(values, timeZone) });
    setCreated(data);
    await client.invalidateQueries({ queryKey: tokensQuery(projectId).queryKey });
  });
  if (created)
    return (
      <>
        <p>{t.created(created.name)}</p>
        <Secret label={t.secret} value={created.secret ?? ''} />
        <footer>
          <Button kind="primary" onPress={onClose}>
            {t.done}
          </Button>
        </footer>
      </>
    );
  return (
    <SaveForm form={form} action={t.create} onCancel={onClose} always>
      <TokenFields form={form} />
    </SaveForm>
  );
}

function ChangeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const t = useTexts('tokens').tokens;
  const { timeZone } = useFormat();
  const client = useQueryClient();
  const form = useForm(valuesOf(token, timeZone), async (values, changed) => {
    const path = { projectId: token.projectId, tokenId: token.id };
    // The form rounds the expiry to the end of a day, so it is sent only if it has changed.
    const { expiresAt, rateLimit, ...rest } = bodyOf(values, timeZone);
    const body = { ...rest, ...('expiresAt' in changed && { expiresAt }), ...(('limit' in changed || 'rateLimit' in changed) && { rateLimit }) };
    await api.PATCH('/api/projects/{projectId}/tokens/{tokenId}', { params: { path }, body });
    await client.invalidateQueries({ queryKey: tokensQuery(token.projectId).queryKey });
    toast(t.changed(values.name));
  });
  return (
    <SaveForm form={form} action={t.save} onCancel={onClose} onSaved={onClose}>
      <TokenFields form={form} />
    </SaveForm>
  );
}
