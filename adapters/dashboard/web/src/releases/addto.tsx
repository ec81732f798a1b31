import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../api/error';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Select } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import { TextField } from '../ui/textfields';
import { toast } from '../ui/toast';
import { createRelease, publishRelease, putMembers, releaseChanged, releasesQuery, type Member } from './queries';
import styles from './releases.module.css';

type Props = {
  projectId: number;
  entryIds: readonly number[];
  /** Sends a new release of the entries to review at once, instead of choosing one. */
  together?: boolean;
  /** done: whether the entries were added. */
  onClose: (done: boolean) => void;
};

const offered = 100;
const fresh = 0; // in place of the id of a release

/** Adds entries to an open release or a new one; or sends them to review together, as a release of their own. */
export function AddToRelease({ projectId, entryIds, together = false, onClose }: Props) {
  const t = useTexts('releases').addto;
  const actions = useTexts('releases').open.actions;
  const format = useFormat();
  const navigate = useNavigate();
  const open = useQuery({ ...releasesQuery(projectId, { state: 'open' }, offered), enabled: !together }).data?.data;
  const [chosen, choose] = useState<number>();
  const [name, setName] = useState(together ? t.nameOf(format.number(entryIds.length), entryIds.length, format.date(new Date().toISOString())) : '');
  const [action, setAction] = useState<Member['action']>('publish');
  const releaseId = chosen ?? (together || open?.length === 0 ? fresh : open?.[0]?.id);
  const isNew = releaseId === fresh;
  const show = (id: number) => void navigate({ to: '/projects/$projectId/releases/$releaseId', params: { projectId, releaseId: id } });
  const add = useMutation({
    mutationFn: async () => {
      const release = isNew ? await createRelease(projectId, { name: name.trim() }) : open?.find(({ id }) => id === releaseId);
      if (!release) return undefined;
      const place = { projectId, releaseId: release.id };
      choose(release.id); // a second attempt adds to the same one
      try {
        await putMembers(place, entryIds.map((entryId) => ({ entryId, action })));
        if (!together) return { release };
        try {
          return { release, request: await publishRelease(place) };
        } catch (error) {
          // The release stays: its page shows every fault, member by member.
          if (asApiError(error).temporary) throw error;
          return { release, refused: true };
        }
      } finally {
        await releaseChanged(place);
      }
    },
    onSuccess: (done) => {
      if (!done) return;
      onClose(true);
      const { release, request, refused } = done as { release: { id: number; name: string }; request?: { releaseNumber: string }; refused?: boolean };
      if (refused) {
        toast(t.refused(release.name));
        return show(release.id);
      }
      toast(!together ? t.added(release.name) : request ? t.sent(request.releaseNumber) : t.published(release.name), { label: t.show, run: () => show(release.id) });
    },
  });
  return (
    <Dialog title={together ? t.togetherTitle(entryIds.length, format.number(entryIds.length)) : t.title(entryIds.length, format.number(entryIds.length))} isOpen onClose={() => onClose(false)} dismissable={!add.isPending}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // not the form around the button that opened this
          add.mutate();
        }}
      >
        {together && <p>{t.togetherLead}</p>}
        {!together && open && open.length > 0 && (
          <Select label={t.release} value={releaseId ?? null} onChange={choose} options={[...open.map((release) => ({ id: release.id, label: release.name })), { id: fresh, label: t.fresh }]} />
        )}
        {isNew && <TextField label={t.name} required maxLength={120} autoComplete="off" value={name} onChange={setName} autoFocus fault={nameFault(add.error)} />}
        {!together && <Select label={t.action} hint={t.actionHint[action]} value={action} onChange={setAction} options={(['publish', 'unpublish'] as const).map((id) => ({ id, label: actions[id] }))} />}
        {add.error && !nameFault(add.error) && <Problem error={add.error} />}
        <footer>
          <Button onPress={() => onClose(false)}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isPending={add.isPending} isDisabled={releaseId === undefined || (isNew && name.trim() === '')}>
            {together ? t.sendTogether : t.add}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The fault of the name; undefined for other errors. */
const nameFault = (error: unknown) => (error ? asApiError(error).faults.find(({ location }) => location === 'name')?.message : undefined);
