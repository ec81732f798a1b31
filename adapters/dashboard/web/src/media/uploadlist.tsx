import { Check, CircleAlert, RotateCw, X } from 'lucide-react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { ProblemLine } from '../ui/basics';
import { IconButton } from '../ui/button';
import styles from './media.module.css';
import { clearDone, removeUpload, retryUpload, useUploads, type Upload } from './uploads';

/**
 * The list of uploads, in the corner of the page; empty without uploads. inline: in the flow of a
 * dialog, without completed uploads, which the dialog shows itself, unless they have warnings.
 */
export function UploadList({ projectId, inline }: { projectId: number; inline?: boolean }) {
  const t = useTexts('media').uploadlist;
  const uploads = useUploads(projectId);
  const done = uploads.filter((u) => u.state === 'done').length;
  const failed = uploads.filter((u) => u.state === 'failed').length;
  const going = uploads.length - done - failed;
  const summary = uploads.length === 0 ? '' : going > 0 ? t.going(done, uploads.length) : t.finished(done, failed);
  const listed = inline ? uploads.filter((u) => u.state !== 'done' || u.warnings) : uploads;
  const close = () => {
    clearDone(projectId);
    uploads.filter((u) => u.state === 'failed').forEach((u) => removeUpload(u.id));
  };
  return (
    <>
      {/* The region must exist before its text changes, or screen readers miss the first text. */}
      <div role="status" className="visually-hidden">
        {summary}
      </div>
      {listed.length > 0 && (
        <section className={styles.uploads} data-inline={inline || undefined} aria-label={t.title}>
          <header>
            <h2>{summary}</h2>
            {going === 0 && <IconButton label={t.close} icon={<X aria-hidden />} onPress={close} />}
          </header>
          <ul>
            {listed.map((upload) => (
              <Row key={upload.id} upload={upload} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Row({ upload }: { upload: Upload }) {
  const t = useTexts('media').uploadlist;
  const format = useFormat();
  const { id, file, state, sent, error, limit, warnings } = upload;
  return (
    <li data-state={state}>
      <span>
        <span title={file.name}>{file.name}</span>
        <small>
          {state === 'failed' ? (
            error?.status === 413 ? t.tooLarge(format.bytes(file.size), format.bytes(limit)) : <ProblemLine error={error} />
          ) : state === 'sending' ? (
            <progress max={Math.max(1, file.size)} value={sent} aria-label={t.progress(file.name)} />
          ) : state === 'waiting' ? (
            t.waiting
          ) : warnings ? (
            <span title={warnings.join(' ')}>{t.asItIs}</span>
          ) : (
            format.bytes(file.size)
          )}
        </small>
      </span>
      {state === 'done' && <Check aria-label={t.arrived} />}
      {state === 'failed' && (
        <>
          {(error?.temporary || error?.status === 401) && <IconButton label={t.retry(file.name)} icon={<RotateCw aria-hidden />} onPress={() => retryUpload(id)} />}
          <CircleAlert aria-hidden />
        </>
      )}
      {state !== 'done' && <IconButton label={state === 'failed' ? t.remove(file.name) : t.stop(file.name)} icon={<X aria-hidden />} onPress={() => removeUpload(id)} />}
    </li>
  );
}
