import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import type { Schemas } from '../../api/client';
import { contains } from '../../i18n/fold';
import { useTexts } from '../../i18n/language';
import { Avatar, Problem } from '../../ui/basics';
import { Field } from '../../ui/forms';
import ui from '../../ui/ui.module.css';
import { candidatesQuery, type Place } from './places';

type PickerProps = {
  place: Place;
  label: string;
  hint?: ReactNode;
  /** The ids of users to exclude. */
  without?: readonly number[];
  onPick: (user: Schemas['Candidate'] | undefined) => void;
};

/** A combo box that finds a user by name or e-mail. */
export function UserPicker({ place, label, hint, without = [], onPick }: PickerProps) {
  const t = useTexts('people').userpicker;
  const [text, setText] = useState('');
  const search = useSettled(text.trim(), 200);
  const query = useQuery({ ...candidatesQuery(place, search), placeholderData: keepPreviousData });
  // Until the response for this text arrives, filter the previous response by the text.
  const stale = search !== text.trim() || query.isPlaceholderData;
  const matches = (user: Schemas['Candidate']) => contains(`${user.name} ${user.email}`, text.trim());
  const users = (query.data?.data ?? []).filter((user) => !without.includes(user.userId) && (!stale || matches(user)));
  return (
    <>
      <ComboBox
        aria-label={label}
        items={users}
        inputValue={text}
        onInputChange={(next) => {
          setText(next);
          if (next === '') onPick(undefined);
        }}
        onSelectionChange={(key) => onPick(users.find((user) => user.userId === key))}
        allowsEmptyCollection
      >
        <Field label={label} hint={hint}>
          {(control) => <Input className={ui.input!} id={control.id} placeholder={t.placeholder} aria-describedby={control['aria-describedby']} autoComplete="off" />}
        </Field>
        <Popover className={ui.popover!}>
          <ListBox<Schemas['Candidate']> className={ui.list!} renderEmptyState={() => <p className={ui.section}>{query.isFetching ? t.searching : t.none}</p>}>
            {(user) => (
              <ListBoxItem id={user.userId} className={ui.item!} textValue={user.name}>
                <Avatar name={user.name} />
                <span>
                  {user.name}
                  <small>{user.email}</small>
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
    </>
  );
}

/** Debounces a value by delay milliseconds. */
function useSettled<T>(value: T, delay: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}
