import { NoYaml, documentsOf, readYaml, withScalars } from '../../../src/core/yaml/yaml-reader';

test('reads documents by the rules of YAML 1.1, dates and base 60 as text', () => {
  expect(readYaml('a: yes\nb: 0644\nc: 2024-01-02\nd: 12:30\n---\n- x\n')).toEqual([
    { a: true, b: 420, c: '2024-01-02', d: '12:30' },
    ['x'],
  ]);
  expect(readYaml('a: !!binary aGk=\nb: !!set {x}\nc: !!timestamp 2024-01-02\n')).toEqual([
    { a: 'hi', b: { x: null }, c: '2024-01-02' },
  ]);
  expect(readYaml('')).toEqual([]);
  expect(readYaml('{"a": [1, null]}')).toEqual([{ a: [1, null] }]);
});

test.each([
  ['password: "hunter2\nb: [', 'missing char at line 2, column 5'],
  ['a: *nowhere\n', 'its aliases cannot be resolved'],
  ['a: |hunter2\n', 'unexpected token at line 1, column 5'],
  ['a: hunter2\n---\nb: c\n\td: hunter2\n', 'a tab as indentation at line 4, column 1'],
  ['a: "hunter2\\/"\n', 'an unknown escape at line 1, column 12'],
  ['a: 1\nb: hunter2\u0007\n', 'a control character at line 2, column 11'],
  ['hunter2: .inf\n', 'infinity and NaN are not JSON at line 1, column 10'],
  ['a: {{ hunter2 }}\n', 'a key must be text at line 1, column 5'],
])('reports the position in %j, without showing the text', (text, message) => {
  const error = (() => {
    try {
      return readYaml(text);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(NoYaml);
  expect((error as Error).message).toContain(message);
  expect((error as Error).message).not.toContain('hunter2');
});

test('places the nodes of JSON, which has characters and escapes that YAML lacks', () => {
  const text = '{"a": "b\\/c\u007f"}';
  expect(readYaml(text)).toEqual([{ a: 'b/c\u007f' }]);
  expect(documentsOf(text).map((document) => document.toJS() as unknown)).toEqual(readYaml(text));
});

test('changes a text whose lines have less indentation than its key', () => {
  const text = 'a:\n  b: \'{\n"c": 1\n}\'\n  d: e\n';
  expect(withScalars(text, (value) => (value === 'e' ? 'f' : undefined))).toBe(
    text.replace('d: e', 'd: f'),
  );
  expect(readYaml(text)).toEqual([{ a: { b: '{ "c": 1 }', d: 'e' } }]);
});
