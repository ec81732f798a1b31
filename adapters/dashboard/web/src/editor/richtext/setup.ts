import { baseKeymap, chainCommands, exitCode, toggleMark } from '@tiptap/pm/commands';
import { dropCursor } from '@tiptap/pm/dropcursor';
import { gapCursor } from '@tiptap/pm/gapcursor';
import { ellipsis, emDash, inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from '@tiptap/pm/inputrules';
import { keymap } from '@tiptap/pm/keymap';
import { liftListItem, sinkListItem, splitListItem } from '@tiptap/pm/schema-list';
import type { Command, Plugin } from '@tiptap/pm/state';
import { tabKeys } from './keys';
import { schema } from './schema';

const { nodes, marks } = schema;

const insertBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.break!.create()).scrollIntoView());
  return true;
};

/** The editor's plugins, with more of them. openLink opens the link field. */
export function plugins(openLink: () => void, ...more: Plugin[]) {
  const own: Record<string, Command> = {
    'Mod-b': toggleMark(marks.strong!),
    'Mod-i': toggleMark(marks.em!),
    'Mod-u': toggleMark(marks.underline!),
    'Mod-k': () => {
      openLink();
      return true;
    },
    'Shift-Enter': chainCommands(exitCode, insertBreak),
    'Mod-Enter': chainCommands(exitCode, insertBreak),
    'Mod-[': liftListItem(nodes.listItem!),
    'Mod-]': sinkListItem(nodes.listItem!),
    Enter: splitListItem(nodes.listItem!),
    Backspace: undoInputRule,
  };
  return [
    inputRules({
      rules: [
        ellipsis,
        emDash,
        wrappingInputRule(/^\s*>\s$/, nodes.blockquote!),
        wrappingInputRule(/^\s*[-*]\s$/, nodes.bulletList!),
        wrappingInputRule(/^1\.\s$/, nodes.orderedList!),
        textblockTypeInputRule(/^(#{1,4})\s$/, nodes.heading!, (match) => ({ level: Math.max(2, match[1]!.length) })),
      ],
    }),
    tabKeys(),
    keymap(own),
    keymap(baseKeymap),
    dropCursor({ class: 'richtext-drop', color: false }),
    gapCursor(),
    ...more,
  ];
}
