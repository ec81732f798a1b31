import { useState } from 'react';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';
import { Button } from '../ui/button';
import { Code } from '../ui/code';
import { Select } from '../ui/forms';
import { CloseButton, Dialog } from '../ui/overlays';
import type { MediaItem } from './kind';
import { addressOf, fits, formats, qualities, sides, type Rendition } from './rendition';
import styles from './sizes.module.css';

type SizesProps = { item: MediaItem; alt: string; onClose: () => void };

/** A dialog that shows the address of a picture in another size or format, and that picture. */
export default function Sizes({ item, alt, onClose }: SizesProps) {
  const t = useTexts('media').sizes;
  const [choice, setChoice] = useState<Rendition>({ width: 640, height: 0, fit: 'cover', format: 'auto', quality: 75 });
  const choose = (change: Partial<Rendition>) => setChoice({ ...choice, ...change });
  const address = addressOf(item, choice);
  // The address of a picture that did not load.
  const [failed, setFailed] = useState<string>();
  const named = (values: readonly number[], name: (value: number) => string) => values.map((id) => ({ id, label: name(id) }));
  return (
    <Dialog title={t.title} size="large" isOpen onClose={onClose}>
      <div className={styles.sizes}>
        <div className={styles.choices}>
          <Select label={t.width} value={choice.width} onChange={(width) => choose({ width })} options={named(sides, (n) => `${n} px`)} />
          <Select label={t.height} value={choice.height} onChange={(height) => choose({ height })} options={named([0, ...sides], (n) => (n === 0 ? t.anyHeight : `${n} px`))} />
          <Select label={t.fit} value={choice.fit} onChange={(fit) => choose({ fit })} options={fits.map((id) => ({ id, label: t.fits[id] }))} isDisabled={choice.height === 0} />
          <Select label={t.format} value={choice.format} onChange={(format) => choose({ format })} options={formats.map((id) => ({ id, label: t.formats[id] }))} />
          <Select
            label={t.quality}
            value={choice.quality}
            onChange={(quality) => choose({ quality })}
            options={named(qualities, (n) => (n === 75 ? t.usual(n) : String(n)))}
            isDisabled={choice.format === 'png'}
          />
        </div>
        <Code label={t.address} text={address} texts={{ copy: t.copy, copyThis: t.copyThis, copied: t.copied }} />
        <p className={styles.remark}>{t.remark}</p>
        <div className={styles.shown}>
          {failed === address ? (
            <Note tone="bad" role="status">
              <p>{t.failed}</p>
              <Button onPress={() => setFailed(undefined)}>{t.again}</Button>
            </Note>
          ) : (
            <img key={address} src={address} alt={alt} onError={() => setFailed(address)} />
          )}
        </div>
      </div>
      <footer>
        <CloseButton />
      </footer>
    </Dialog>
  );
}
