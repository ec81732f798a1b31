import type { Field } from '../context';
import type { Component, Components } from '../items/values';
import { RichTextControl } from '../richtext/apart';
import { withTexts } from '../../texts/load';
import { apart } from '../../ui/apart';

// Loaded on demand: few collections need them.
const TagsControl = apart(() => withTexts(import('./tags'), 'editor').then((m) => m.TagsControl));
const ChoiceControl = apart(() => withTexts(import('./choice'), 'editor').then((m) => m.ChoiceControl));
const JSONControl = apart(() => withTexts(import('./json'), 'editor').then((m) => m.JSONControl));
export { ChoiceControl, JSONControl, TagsControl };

/** The control of a field that is loaded on demand, except that of groups and blocks; undefined for others. */
function apartControl({ type, multiple }: Pick<Field, 'type' | 'multiple'>) {
  if (type === 'richtext' && !multiple) return RichTextControl;
  if (type === 'text' && multiple) return TagsControl;
  if (type === 'enumeration' && !multiple) return ChoiceControl;
  return type === 'json' ? JSONControl : undefined;
}

/** Loads the controls of the fields of components, and of those inside of them. */
export function loadControls(wanted: readonly Component[], components: Components) {
  const seen = new Set<Component>();
  const visit = (component: Component | undefined) => {
    if (!component || seen.has(component)) return;
    seen.add(component);
    for (const field of component.fields) {
      void apartControl(field)?.load().catch(() => undefined); // loaded again when it is shown
      for (const slug of [field.component, ...(field.components ?? [])]) visit(components.get(slug ?? ''));
    }
  };
  wanted.forEach(visit);
}
