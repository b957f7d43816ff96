import * as fs from 'node:fs';
import * as path from 'node:path';
import { VALID_OBJECTS } from '../../cluster/kubernetes/valid-objects';
import { allCases, DIFFERENT, findingsOf, isRefused } from '../../cluster/kubernetes/verdicts';

/** Whether the server refused each case, as digits in the order of the cases, by object. */
const VERDICTS = JSON.parse(fs.readFileSync(path.join(__dirname, 'verdicts.json'), 'utf8')) as {
  readonly [object: string]: string;
};

// all of them take a minute
const EVERY = 5;

const CASES = allCases();
const refusedByServer = new Map(
  CASES.map(({ object, name }, index) => {
    const key = `${object.kind}/${object.metadata.name}`;
    const first = CASES.findIndex((each) => each.object === object);
    return [name, VERDICTS[key]![index - first] === '1'] as const;
  }),
);

test('finds nothing in objects that a server accepts', () => {
  const found = VALID_OBJECTS.flatMap((object) => findingsOf(object)).filter(
    // is about the file
    ({ rule }) => rule !== 'object/plain-secret',
  );
  expect(found).toEqual([]);
});

test('the recording has a verdict for each case', () => {
  const counts = new Map<string, number>();
  for (const { object } of CASES) {
    const key = `${object.kind}/${object.metadata.name}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(Object.entries(VERDICTS).map(([key, { length }]) => [key, length])).toEqual([...counts]);
});

test('agrees with an API server on changed objects, apart from changes with a reason', () => {
  const tried = CASES.filter((_, index) => index % EVERY === 0);
  const differs = tried.filter(
    ({ name, manifest }) => isRefused(manifest) !== refusedByServer.get(name),
  );
  const unknown = differs.filter(({ name }) => !DIFFERENT.some(([change]) => change.test(name)));
  expect(unknown.map(({ name }) => name)).toEqual([]);
  expect(tried.length).toBeGreaterThan(2000);
});
