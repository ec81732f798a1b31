import { Fragment, memo, Suspense, useLayoutEffect, useRef, useState, type ComponentType, type RefObject } from 'react';
import { useTexts } from '../i18n/language';
import { useFormat } from '../i18n/format';
import { Field as Frame, inputClass, Required } from '../ui/textfields';
import { titleField } from '../content/fields';
import { useEditing, useFault, useFields, useValue, type Field } from './context';
import { ChoiceControl, JSONControl, TagsControl } from './controls/apart';
import { MediaControl } from './controls/media';
import { MultipleControl } from './controls/multiple';
import { RelationControl } from './controls/relation';
import { ChoicesControl, ClockControl, ColorControl, LineControl, LinesControl, NumberControl, SecretControl, YesNoControl, type ControlProps } from './controls/simple';
import { ItemsControl } from './items/apart';
import { RichTextControl } from './richtext/apart';
import { empty } from './values';
import styles from './editor.module.css';

const controls: Record<Exclude<Field['type'], 'group' | 'blocks'>, ComponentType<ControlProps>> = {
  text: LineControl,
  slug: LineControl,
  email: LineControl,
  url: LineControl,
  longtext: LinesControl,
  richtext: LinesControl,
  number: NumberControl,
  boolean: YesNoControl,
  enumeration: ChoiceControl,
  date: ClockControl,
  time: ClockControl,
  datetime: ClockControl,
  color: ColorControl,
  json: JSONControl,
  password: SecretControl,
  relation: RelationControl,
  media: MediaControl,
};

const narrow = new Set<Field['type']>(['number', 'boolean', 'enumeration', 'date', 'time', 'datetime', 'color', 'slug', 'email']);

/** Whether a field takes half the width of the form. */
export const isNarrow = (field: Field) => !field.multiple && (narrow.has(field.type) || field.type === 'relation' || field.type === 'password');

/** The fields of the entry, the title first. */
export const Fields = memo(function Fields() {
  const { collection } = useEditing();
  const named = titleField(collection)?.name;
  const title = collection.fields.find((f) => f.name === named);
  return (
    <div className={styles.fields}>
      {title && <TitleField field={title} />}
      {title && <Said field={title} />}
      {title && collection.fields.filter((f) => f.type === 'slug' && f.source === title.name && !f.multiple).map((f) => <SlugLine key={f.name} field={f} />)}
      {collection.fields
        .filter((f) => f !== title && !(title && f.type === 'slug' && f.source === title.name && !f.multiple))
        .map((f) => (
          <Fragment key={f.name}>
            <FieldControl field={f} />
            <Said field={f} />
          </Fragment>
        ))}
    </div>
  );
});

/** The place of the comments on a field. */
const Said = ({ field }: { field: Field }) => <div className={styles.said} data-comments={field.name} />;

/** One field with its label, hint, fault and control. */
export const FieldControl = memo(function FieldControl({ field }: { field: Field }) {
  const store = useFields();
  const t = useTexts('editor').fields;
  const fault = useFault(field.name);
  if (field.type === 'group' || field.type === 'blocks') {
    return (
      <div className={styles.field} data-field={store.place(field.name)}>
        <Suspense fallback={<div className={styles.richWaiting} role="group" aria-busy aria-label={field.label} />}>
          <ItemsControl field={field} control={FieldControl} />
        </Suspense>
      </div>
    );
  }
  if (field.type === 'richtext' && !field.multiple) return <RichTextField field={field} fault={fault} />;
  const note = field.type === 'password' ? t.secret : field.hidden ? t.hidden : undefined;
  return (
    <div className={styles.field} data-field={store.place(field.name)} data-narrow={isNarrow(field) || undefined}>
      <Frame label={field.label} required={field.required} group={field.type === 'media' || (field.multiple && field.type !== 'text')} fault={fault} aside={<Aside field={field} />} hint={note ? [field.help, note].filter(Boolean).join(' ') : field.help}>
        {(attributes) => <Control field={field} attributes={attributes} onChange={(value) => store.set(field.name, value)} />}
      </Frame>
    </div>
  );
});

function RichTextField({ field, fault }: { field: Field; fault?: string }) {
  const store = useFields();
  const typed = useRef(false);
  return (
    <div className={styles.field} data-field={store.place(field.name)}>
      <Suspense fallback={<RichTextWaiting field={field} typed={typed} />}>
        <RichTextControl field={field} fault={fault} aside={<Aside field={field} />} focused={typed} />
      </Suspense>
    </div>
  );
}

/** In place of the rich text control until its code is loaded. An empty text can be written at once; typed says whether the focus was there. */
function RichTextWaiting({ field, typed }: { field: Field; typed: RefObject<boolean> }) {
  const store = useFields();
  const box = useRef<HTMLTextAreaElement>(null);
  const [isEmpty] = useState(() => empty(store.value(field.name)));
  const [text, setText] = useState('');
  useLayoutEffect(() => {
    const element = box.current;
    return () => void (typed.current = element !== null && element === document.activeElement);
  }, [typed]);
  if (!isEmpty) return <div className={styles.richWaiting} role="group" aria-busy aria-label={field.label} />;
  const write = (next: string) => {
    setText(next);
    store.set(field.name, paragraphs(next));
  };
  return <textarea ref={box} className={`${inputClass} ${styles.richWaiting}`} aria-label={field.label} value={text} onChange={(event) => write(event.target.value)} />;
}

const paragraphs = (text: string) => (text === '' ? null : text.split('\n').map((line) => `<p>${line.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</p>`).join(''));

function Control({ field, attributes, onChange }: Omit<ControlProps, 'value'>) {
  const value = useValue(field.name);
  const props = { field, attributes, value, onChange };
  const Element = controls[field.type as keyof typeof controls];
  const single = !field.multiple || field.type === 'relation' || field.type === 'media' || field.type === 'json';
  return (
    <Suspense fallback={<input className={inputClass} aria-label={field.label} readOnly />}>
      {single ? <Element {...props} /> : field.type === 'text' ? <TagsControl {...props} /> : field.type === 'enumeration' ? <ChoicesControl {...props} /> : <MultipleControl {...props} element={Element} />}
    </Suspense>
  );
}

/** The title: large, without a frame, with as many lines as needed. */
const TitleField = memo(function TitleField({ field }: { field: Field }) {
  const { store } = useEditing();
  const value = useValue(field.name);
  const fault = useFault(field.name);
  return (
    <div className={styles.titleField} data-field={field.name}>
      <Frame label={<span className="visually-hidden">{field.label}</span>} hint={field.help} fault={fault} aside={<Aside field={field} />}>
        {(attributes) => (
          <textarea
            {...attributes}
            aria-required={field.required || undefined}
            className={styles.title}
            rows={1}
            placeholder={field.label}
            value={typeof value === 'string' ? value : ''}
            onChange={(e) => store.set(field.name, e.target.value.replace(/\n/g, ' '))}
            onKeyDown={(e) => e.key === 'Enter' && e.preventDefault()}
          />
        )}
      </Frame>
      {field.required && <Required label={null} />}
    </div>
  );
});

/** The slug, below the title that it is generated from. */
const SlugLine = memo(function SlugLine({ field }: { field: Field }) {
  const t = useTexts('editor').fields;
  const { store } = useEditing();
  const value = useValue(field.name);
  const fault = useFault(field.name);
  return (
    <div className={styles.slugLine} data-field={field.name}>
      <Frame label={<span className="visually-hidden">{field.label}</span>} hint={field.help} fault={fault}>
        {(attributes) => <input {...attributes} autoComplete="off" spellCheck={false} placeholder={t.slug} value={typeof value === 'string' ? value : ''} onChange={(e) => store.set(field.name, e.target.value)} />}
      </Frame>
    </div>
  );
});

/** The limits of a field, at the end of the label's line: "118 of 200", "0 to 5". */
function Aside({ field }: { field: Field }) {
  const t = useTexts('editor').fields;
  const format = useFormat();
  const { min, max } = field;
  if (field.type === 'datetime') return format.timeZone.replaceAll('_', ' ');
  if (field.type === 'number' && !field.multiple) {
    if (min !== undefined && max !== undefined) return t.range(format.number(min), format.number(max));
    return min !== undefined ? t.from(format.number(min)) : max !== undefined ? t.to(format.number(max)) : null;
  }
  return max === undefined || field.type === 'richtext' ? null : <Count field={field} max={max} />;
}

function Count({ field, max }: { field: Field; max: number }) {
  const t = useTexts('editor').fields;
  const format = useFormat();
  const value = useValue(field.name);
  const count = Array.isArray(value) ? value.length : typeof value === 'string' ? [...value].length : 0;
  return t.count(format.number(count), format.number(max));
}
