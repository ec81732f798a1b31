import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { Popover } from 'react-aria-components';
import { contains } from '../../i18n/fold';
import { useTexts } from '../../i18n/language';
import { inputClass } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import editor from '../editor.module.css';
import styles from './items.module.css';
import type { Component } from './values';

const maxRecent = 3;
const recentKey = (projectId: number) => `imprimatur.items.recent.${projectId}`;

function recentOf(projectId: number): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(recentKey(projectId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Keeps that a component was used, for the top of the next list. */
export function remember(projectId: number, slug: string) {
  try {
    localStorage.setItem(recentKey(projectId), JSON.stringify([slug, ...recentOf(projectId).filter((one) => one !== slug)].slice(0, 10)));
  } catch {
    // The storage is full or forbidden.
  }
}

type Group = { label?: string; components: readonly Component[] };

/** The components to offer: those that match the text, or else the recently used ones first. */
export function groupsOf(components: readonly Component[], text: string, recent: readonly string[], label: string): Group[] {
  const wanted = text.trim();
  if (wanted) {
    const matches = (of: (c: Component) => string) => components.filter((c) => contains(of(c), wanted));
    return [{ components: [...new Set([...matches((c) => c.name), ...matches((c) => c.slug), ...matches((c) => c.description)])] }];
  }
  const first = components.length > maxRecent + 1 ? recent.flatMap((slug) => components.find((c) => c.slug === slug) ?? []).slice(0, maxRecent) : [];
  return [...(first.length ? [{ label, components: first }] : []), { components: components.filter((c) => !first.includes(c)) }];
}

type PickerProps = { projectId: number; components: readonly Component[]; button: RefObject<HTMLButtonElement | null>; onPick: (component: Component) => void; onClose: () => void };

/** A list of components that the user filters by typing. */
export function Picker({ projectId, components, button, onPick, onClose }: PickerProps) {
  const t = useTexts('items');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [recent] = useState(() => recentOf(projectId));
  const groups = groupsOf(components, text, recent, t.recent);
  const options = groups.flatMap((group) => group.components);
  useEffect(() => {
    const frame = requestAnimationFrame(() => input.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
  useEffect(() => void document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' }), [id, active]);
  const pick = (component: Component | undefined) => {
    if (!component) return;
    onClose();
    onPick(component);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      if (options.length) setActive((to + options.length) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(options[active]);
    }
  };
  return (
    <Popover aria-label={t.pick} className={ui.popover!} triggerRef={button} isOpen onOpenChange={(open) => !open && onClose()} placement="bottom start">
      <div className={styles.picker}>
        <div className={editor.picker}>
          <Search aria-hidden />
          <input
            ref={input}
            className={inputClass}
            role="combobox"
            aria-label={t.pick}
            aria-expanded
            aria-autocomplete="list"
            aria-controls={`${id}-list`}
            aria-activedescendant={options[active] ? `${id}-${active}` : undefined}
            placeholder={t.search}
            autoComplete="off"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div role="listbox" id={`${id}-list`} aria-label={t.pick} className={styles.options}>
          {groups.map((group, g) => (
            <div key={g} role="group" aria-label={group.label ?? t.all}>
              {group.label && <div className={styles.heading} aria-hidden>{group.label}</div>}
              {group.components.map((component) => {
                const i = options.indexOf(component);
                return (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input has the keys
                  <div key={component.slug} id={`${id}-${i}`} role="option" tabIndex={-1} aria-selected={i === active} className={styles.option} onPointerMove={() => setActive(i)} onClick={() => pick(component)}>
                    <span>{component.name}</span>
                    {component.description && <small>{component.description}</small>}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
        {options.length === 0 && (
          <p className={editor.nothing} role="status">
            {t.noMatch}
          </p>
        )}
      </div>
    </Popover>
  );
}
