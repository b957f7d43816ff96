import { CERTIFICATE, KEY } from './_pem';
import { contains, parseCidr, parseIp, printIp, printNetwork } from '../../../src/core/go/go-ip';
import {
  atoi,
  BOOL,
  decodeStrict,
  GoType,
  INT,
  isJson,
  map,
  parseFloat64,
  parseUint32,
  pointer,
  QUANTITY,
  slice,
  STRING,
  goStruct,
  UINT16,
  unmarshal,
} from '../../../src/core/go/go-json';
import { certificatesOf, pemBlocksOf } from '../../../src/core/go/go-pem';

describe('JSON', () => {
  test.each([
    '',
    '{"a":',
    '"a',
    '{"a" 1}',
    '{a}',
    '{"a":1,}',
    '{"a":1 "b"}',
    '[1 2]',
    '01',
    '-',
    '1.',
    '1e',
    '"a\u0001"',
    '"\\x"',
    '"\\u12g4"',
    'tru',
    'foobar',
    "'a'",
    '{} x',
    '\ufeff{}',
  ])('refuses %j', (text) => expect(isJson(text)).toBe(false));

  test('accepts a depth that people use', () => {
    expect(isJson('['.repeat(1000) + ']'.repeat(1000))).toBe(true);
    expect(isJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(false);
  });

  test('is not confused by brackets and numbers in texts', () => {
    expect(unmarshal('{"a":"}] -1.5 \\"[","b":"\\u0041"}', map(STRING))).toEqual({
      config: new Map([
        ['a', '}] -1.5 "['],
        ['b', 'A'],
      ]),
      unknown: [],
    });
  });
});

describe('decoding', () => {
  const type: GoType = goStruct({
    cpu: INT,
    vlan: UINT16,
    on: BOOL,
    name: STRING,
    list: slice(STRING),
    all: map(STRING),
    inner: pointer(goStruct({ size: INT })),
    rate: pointer(QUANTITY),
  });
  const decode = (text: string) => unmarshal<{ readonly [key: string]: unknown }>(text, type);

  test('gives what is left out its zero value', () => {
    expect(decode('{}')).toEqual({ config: { cpu: 0, vlan: 0, on: false, name: '' }, unknown: [] });
    expect(decode('null')).toMatchObject({ config: { cpu: 0 } });
  });

  test('matches keys without regard to case, the last of each', () => {
    expect(decode('{"CPU":1,"cpu":2,"Cpu":3}')).toMatchObject({ config: { cpu: 3 }, unknown: [] });
    expect(decode('{"li\u017ft":["a"]}')).toMatchObject({ config: { list: ['a'] } });
    expect(decode('{"cpus":1}')).toMatchObject({ unknown: ['cpus'] });
  });

  test('keeps numbers and texts at null, and empties lists, maps and pointers', () => {
    expect(
      decode('{"cpu":5,"list":["a"],"inner":{"size":1},"CPU":null,"List":null,"Inner":null}'),
    ).toMatchObject({ config: { cpu: 5, list: undefined, inner: undefined } });
    expect(decode('{"list":["a",null]}')).toMatchObject({ config: { list: ['a', ''] } });
  });

  test.each([
    ['{"cpu":"1"}', 'cpu must be a whole number'],
    ['{"cpu":1.0}', 'cpu must be a whole number'],
    ['{"cpu":1e2}', 'cpu must be a whole number'],
    ['{"cpu":9223372036854775808}', 'cpu must be a whole number'],
    ['{"vlan":-1}', 'vlan must be a whole number from 0 to 65535'],
    ['{"vlan":65536}', 'vlan must be a whole number from 0 to 65535'],
    ['{"on":"true"}', 'on must be true or false'],
    ['{"list":{}}', 'list must be a list'],
    ['{"list":[1]}', 'list[0] must be text'],
    ['{"all":[]}', 'all must be an object'],
    ['{"inner":{"size":true}}', 'inner.size must be a whole number'],
    ['{"inner":[]}', 'inner must be an object'],
    ['[]', 'must be an object'],
    ['{"cpu":true,"name":1}', 'cpu must be a whole number, name must be text'],
  ])('refuses %s', (text, error) => expect(decode(text)).toMatchObject({ error }));

  test('accepts numbers and texts as quantities', () => {
    for (const good of ['0', '"40Gi"', '"1.5M"', '"1e3"', 'null']) {
      expect(decode(`{"rate":${good}}`)).not.toHaveProperty('error');
    }
    for (const bad of ['"40 Gi"', '"fast"', 'true', '{}', '""']) {
      expect(decode(`{"rate":${bad}}`)).toHaveProperty('error');
    }
  });

  test('refuses unknown fields where it is strict, and ignores what follows the value', () => {
    expect(decodeStrict('{"cpu":1} x', type)).toMatchObject({ config: { cpu: 1 } });
    expect(decodeStrict('{"inner":{"sise":1}}', type)).toMatchObject({
      error: 'inner.sise is not a field of it',
    });
  });
});

describe('numbers', () => {
  test.each([
    ['10', 10],
    ['-5', -5],
    ['0', 0],
    ['+05', 5],
    ['-007', -7],
    ['ten', undefined],
    ['1.5', undefined],
    [' 1', undefined],
    ['', undefined],
    ['9223372036854775808', undefined],
  ])('reads %j as an integer: %p', (text, number) => expect(atoi(text)).toBe(number));

  test.each([
    ['020', 20],
    ['-1', undefined],
    ['+1', undefined],
    ['4294967296', undefined],
  ])('reads %j as digits: %p', (text, number) => expect(parseUint32(text)).toBe(number));

  test.each([
    ['1.5', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e1', 10],
    ['1_0', 10],
    ['0x1p-2', 0.25],
    ['0x_1p2', 4],
    ['0x1.8p1', 3],
    ['inf', Infinity],
    ['-Infinity', -Infinity],
    ['1e-400', 0],
    ['NaN', NaN],
    ['-NaN', undefined],
    ['1_', undefined],
    ['0x1.8', undefined],
    ['1e400', undefined],
    [' 1', undefined],
    ['1,5', undefined],
  ])('reads %j with a fraction: %p', (text, number) => expect(parseFloat64(text)).toEqual(number));
});

describe('addresses', () => {
  test.each(['10.0.0.1', '0.0.0.0', '::', 'fd00::1', '1:2:3:4:5:6:7:8'])('reads %s', (text) =>
    expect(printIp(parseIp(text)!)).toBe(text),
  );
  test('reads an IPv4 address in the form of IPv6', () =>
    expect(printIp(parseIp('::ffff:10.0.0.1')!)).toBe('::ffff:a00:1'));
  test.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '1::2::3',
    ':::',
    'fe80::1%eth0',
    '1:2:3:4:5:6:7',
    '10.0.0.1 ',
    'g::',
  ])('refuses %j', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test.each([
    ['10.1.2.3/24', '10.1.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['fd00::5/64', 'fd00::/64'],
    ['10.0.0.0/024', '10.0.0.0/24'],
  ])('finds the network of %s: %s', (text, network) => {
    expect(printNetwork(parseCidr(text)!)).toBe(network);
  });
  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0/8', '/24', 'fd00::/129'])(
    'refuses %s as a CIDR',
    (text) => expect(parseCidr(text)).toBeUndefined(),
  );

  test('prints the shortest form', () => {
    expect(
      ['2001:db8:0:0:1:0:0:1', '::1', '1:0:0:2:0:0:0:3', '10.0.0.1'].map((text) =>
        printIp(parseIp(text)!),
      ),
    ).toEqual(['2001:db8::1:0:0:1', '::1', '1:0:0:2::3', '10.0.0.1']);
  });

  test('finds addresses in a network of their family, IPv4 also in the form of IPv6', () => {
    expect(contains(parseCidr('10.0.0.0/8')!, parseIp('10.9.9.9')!)).toBe(true);
    expect(contains(parseCidr('10.0.0.0/8')!, parseIp('::ffff:10.9.9.9')!)).toBe(true);
    expect(contains(parseCidr('::/0')!, parseIp('10.9.9.9')!)).toBe(false);
  });
});

describe('PEM', () => {
  test('finds blocks between other text', () => {
    expect(pemBlocksOf(`junk\n${CERTIFICATE}junk\n${KEY}`).blocks.map(({ type }) => type)).toEqual([
      'CERTIFICATE',
      'PRIVATE KEY',
    ]);
    expect(pemBlocksOf(CERTIFICATE.replace(/\n/g, '\r\n')).blocks).toHaveLength(1);
    expect(pemBlocksOf('no block')).toEqual({ blocks: [], broken: false });
  });

  test('reports a broken block unless a good one follows', () => {
    const broken = CERTIFICATE.replace('-----END', '----END');
    expect(pemBlocksOf(broken)).toEqual({ blocks: [], broken: true });
    expect(pemBlocksOf(`${broken}${CERTIFICATE}`).blocks).toHaveLength(1);
    expect(certificatesOf(CERTIFICATE + CERTIFICATE)).toHaveLength(2);
    expect(certificatesOf(CERTIFICATE + KEY)).toBeUndefined();
  });
});
