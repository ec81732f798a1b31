import { ArrowLeft, ArrowRight, Pencil, X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { Menu, MenuItem } from '../../ui/overlays';
import styles from '../editor.module.css';
import { moved } from '../../ui/order';
import type { ControlProps } from './simple';

/**
 * A control for several short texts. Enter or a comma adds one. Each text is a button with a menu;
 * Alt with an arrow key moves it and Delete removes it.
 */
export function TagsControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').tags;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [said, say] = useState('');
  const [edited, setEdited] = useState<string>(); // the tag whose text is in the input; it stays in the list meanwhile
  const tags = (Array.isArray(value) ? value : []).map(String);

  const add = (typed: string) => {
    const at = edited === undefined ? -1 : tags.indexOf(edited);
    setEdited(undefined);
    if (at >= 0) {
      const tag = typed.trim();
      setText('');
      if (tag && tag !== edited) onChange(tags.includes(tag) ? tags.toSpliced(at, 1) : tags.with(at, tag));
      return;
    }
    const next = typed.split(/[,\n]/).map((tag) => tag.trim()).filter((tag, i, all) => tag && !tags.includes(tag) && all.indexOf(tag) === i);
    setText('');
    if (next.length) onChange([...tags, ...next]);
  };
  const focusAt = (index: number) => requestAnimationFrame(() => (list.current?.querySelectorAll('button')[index] ?? input.current)?.focus());
  const move = (from: number, to: number) => {
    if (to < 0 || to >= tags.length) return;
    onChange(moved(tags, from, to));
    say(t.moved(tags[from]!, to + 1, tags.length));
    focusAt(to);
  };
  const remove = (index: number) => {
    onChange(tags.toSpliced(index, 1));
    say(t.removed(tags[index]!));
    focusAt(Math.min(index, tags.length - 2));
  };
  const edit = (index: number) => {
    setText(tags[index]!);
    setEdited(tags[index]);
    requestAnimationFrame(() => input.current?.focus());
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.altKey && step) {
      event.preventDefault();
      event.stopPropagation();
      move(index, index + step);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      remove(index);
    }
  };

  return (
    <div className={styles.tags}>
      <ul ref={list} aria-label={field.label}>
        {tags.map((tag, i) => (
          <li key={tag} onKeyDownCapture={(event) => onKeyDown(event, i)}>
            <Menu label={tag} trigger={<AriaButton className={styles.tag!}>{tag}</AriaButton>}>
              <MenuItem onAction={() => edit(i)}>
                <Pencil aria-hidden />
                {t.edit}
              </MenuItem>
              <MenuItem onAction={() => move(i, i - 1)} isDisabled={i === 0}>
                <ArrowLeft aria-hidden />
                {t.earlier}
              </MenuItem>
              <MenuItem onAction={() => move(i, i + 1)} isDisabled={i === tags.length - 1}>
                <ArrowRight aria-hidden />
                {t.later}
              </MenuItem>
              <MenuItem onAction={() => remove(i)} danger>
                <X aria-hidden />
                {t.remove}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      <span className={styles.tagInput}>
        <input
          data-unkept
          {...attributes}
          ref={input}
          placeholder={t.add}
          autoComplete="off"
          value={text}
          onChange={(e) => (edited === undefined && /[,\n]/.test(e.target.value) ? add(e.target.value) : setText(e.target.value))}
          onBlur={() => add(text)}
          onKeyDown={(e) => {
            if (e.key === 'Enter') {
              e.preventDefault();
              add(text);
            } else if (e.key === 'Backspace' && text === '' && tags.length > 0) {
              focusAt(tags.length - 1);
            }
          }}
        />
        {text.trim() && (
          <Button kind="quiet" onPress={() => add(text)}>
            {t.addButton}
          </Button>
        )}
      </span>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
