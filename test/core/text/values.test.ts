import { byText, defined, filledList } from '../../../src/core/text/values';

test('keeps fields that have a value, in their order, also null, false and empty ones', () => {
  expect(
    Object.entries(defined<unknown>({ b: 1, a: undefined, c: null, d: false, e: '', f: 0 })),
  ).toEqual([
    ['b', 1],
    ['c', null],
    ['d', false],
    ['e', ''],
    ['f', 0],
  ]);
});

test('a list without anything in it is none, and another one is a copy', () => {
  const items = ['a'];
  expect(filledList(items)).toEqual(['a']);
  expect(filledList(items)).not.toBe(items);
  expect([filledList([]), filledList()]).toEqual([undefined, undefined]);
});

describe('byText', () => {
  const counting = (longest?: number, room?: number) => {
    const asked: string[] = [];
    return {
      asked,
      read: byText(
        (text) => {
          asked.push(text);
          return { text, inner: [text] };
        },
        longest,
        room,
      ),
    };
  };

  test('computes once for a text and freezes the result', () => {
    const { asked, read } = counting();
    const first = read('a');
    expect(read('a')).toBe(first);
    expect(read('b')).toEqual({ text: 'b', inner: ['b'] });
    expect(asked).toEqual(['a', 'b']);
    expect(() => {
      first.inner.push('x');
    }).toThrow(TypeError);
  });

  test('remembers no long text, and leaves its result as it is', () => {
    const { asked, read } = counting(3);
    read('long').inner.push('x');
    expect(read('long').inner).toEqual(['long']);
    expect(asked).toEqual(['long', 'long']);
  });

  test('forgets all texts when a further one has no room', () => {
    const { asked, read } = counting(3, 5);
    for (const text of ['aaa', 'bbb', 'aaa', 'aaa']) {
      expect(read(text).text).toBe(text);
    }
    expect(asked).toEqual(['aaa', 'bbb', 'aaa']);
  });

  test('remembers no failure', () => {
    let calls = 0;
    const read = byText((): number => {
      calls++;
      throw new Error('no');
    });
    expect(() => read('a')).toThrow('no');
    expect(() => read('a')).toThrow('no');
    expect(calls).toBe(2);
  });
});
