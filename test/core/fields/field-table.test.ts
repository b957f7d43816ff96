import { Duration } from 'cdk8s';
import { FoundObject, StaticCall } from '../../../src/core/draft/draft';
import { FieldTable } from '../../../src/core/fields/field-table';
import {
  booleanField,
  enumField,
  goDurationField,
  mapField,
  numberField,
  secondsField,
  structField,
  structsField,
  textField,
  textsField,
} from '../../../src/core/fields/fields';

interface Props {
  readonly title?: string;
  readonly count?: number;
  readonly mode?: 'fast' | 'slow';
  readonly active?: boolean;
  readonly hidden?: boolean;
  readonly every?: Duration;
  readonly limit?: Duration;
  readonly tags?: string[];
  readonly selector?: { readonly [key: string]: string };
  readonly account?: { readonly name: string; readonly namespace: string };
  readonly ranges?: readonly { readonly subnet: string; readonly start?: string }[];
}

const TABLE = new FieldTable<Props>('spec', {
  title: textField('title'),
  count: numberField('limits.count', { byDefault: 3 }),
  mode: enumField('limits.mode', 'Mode', { serverDefault: 'slow' }),
  active: booleanField('enabled', { byDefault: true }),
  hidden: booleanField('hidden'),
  every: secondsField('interval'),
  limit: goDurationField('limit'),
  tags: textsField('tags'),
  selector: mapField('selector'),
  account: structField(
    '',
    { name: textField('account'), namespace: textField('accountNamespace') },
    ['name', 'namespace'],
  ),
  ranges: structsField('ranges', { subnet: textField('subnet'), start: textField('rangeStart') }),
});

const FULL = {
  title: 'a',
  limits: { count: 5, mode: 'fast' },
  enabled: false,
  hidden: true,
  interval: 90,
  limit: '1h0m0s',
  tags: ['x'],
  selector: { a: 'b' },
  account: 'bot',
  accountNamespace: 'system',
  ranges: [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.5' }, { subnet: '10.1.0.0/24' }],
};

function found(spec: object | undefined): FoundObject {
  const manifest = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'thing' }, spec };
  return { target: 'dc1', from: 'test', manifest };
}

/** The props that are not left out. */
function propsOf(spec: object | undefined, asWritten?: boolean): object {
  const props = Object.entries(TABLE.read(found(spec), asWritten));
  return Object.fromEntries(props.filter(([, value]) => value !== undefined));
}

test('writes the fields that props set, each at its path', () => {
  expect(
    TABLE.write({
      title: 'a',
      count: 5,
      mode: 'fast',
      active: false,
      hidden: true,
      every: Duration.seconds(90),
      limit: Duration.hours(1),
      tags: ['x'],
      selector: { a: 'b' },
      account: { name: 'bot', namespace: 'system' },
      ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.5' }, { subnet: '10.1.0.0/24' }],
    }),
  ).toEqual(FULL);
});

test('writes defaults, except for an object that remains as it is', () => {
  expect(TABLE.write({})).toEqual({ limits: { count: 3 }, enabled: true });
  expect(TABLE.write({}, true)).toEqual({});
});

test('reads the props of an object back', () => {
  expect(propsOf(FULL)).toEqual({
    title: 'a',
    count: 5,
    mode: expect.objectContaining({ type: 'Mode', value: 'fast' }),
    active: false,
    hidden: true,
    every: new StaticCall('Duration', 'seconds', [90]),
    limit: new StaticCall('Duration', 'hours', [1]),
    tags: ['x'],
    selector: { a: 'b' },
    account: { name: 'bot', namespace: 'system' },
    ranges: [
      { subnet: '10.0.0.0/24', start: '10.0.0.5' },
      { subnet: '10.1.0.0/24', start: undefined },
    ],
  });
});

test('reads no prop where a default is, except for an object that remains as it is', () => {
  const spec = { limits: { count: 3, mode: 'slow' }, enabled: true };
  expect(propsOf(spec)).toEqual({ ranges: [] });
  expect(propsOf(spec, true)).toEqual({ count: 3, active: true, ranges: [] });
});

test('reads false where a boolean with a default is missing', () => {
  expect(propsOf({})).toEqual({ active: false, ranges: [] });
});

test('reads nothing from values of other types, nor from a struct that lacks a required part', () => {
  const spec = { title: 1, limits: [], hidden: 'yes', interval: '5', limit: 5, selector: 'a' };
  expect(propsOf({ ...spec, enabled: true, account: 'bot' })).toEqual({ ranges: [] });
  expect(propsOf(undefined)).toEqual({ active: false, ranges: [] });
});

test('names the props whose fields have another name, also in lists', () => {
  expect(TABLE.names).toEqual({
    'spec.limits.count': 'count',
    'spec.limits.mode': 'mode',
    'spec.enabled': 'active',
    'spec.interval': 'every',
    'spec.account': 'account.name',
    'spec.accountNamespace': 'account.namespace',
    'spec.ranges[].rangeStart': 'ranges[].start',
  });
});

test('names the first of several props that set a field', () => {
  const table = new FieldTable<{ readonly interval?: number; readonly automatic?: number }>(
    'spec',
    {
      interval: numberField('interval'),
      automatic: numberField('interval'),
    },
  );
  expect(table.names).toEqual({});
});
