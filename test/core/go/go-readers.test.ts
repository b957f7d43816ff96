import { CERTIFICATE, KEY } from './pem';
import { contains, parseCidr, parseIp, printIp, printNetwork } from '../../../src/core/go/go-ip';
import { parseFirstGoJson, parseGoJson } from '../../../src/core/go/go-json';
import {
  BOOL, GoType, INT, QUANTITY, STRING, UINT16, decodeStrict, map, pointer, slice, struct, unmarshal,
} from '../../../src/core/go/go-json-decode';
import { atoi, parseFloat64, parseUint32, strictAtoi } from '../../../src/core/go/go-numbers';
import { certificatesOf, pemBlocksOf } from '../../../src/core/go/go-pem';

// the expected words are those of Go 1.26
describe('JSON', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['{"a" 1}', 'invalid character \'1\' after object key'],
    ['{a}', 'invalid character \'a\' looking for beginning of object key string'],
    ['{"a":1,}', 'invalid character \'}\' looking for beginning of object key string'],
    ['{"a":1 "b"}', 'invalid character \'"\' after object key:value pair'],
    ['[1 2]', 'invalid character \'2\' after array element'],
    ['01', 'invalid character \'1\' after top-level value'],
    ['-', 'invalid character \' \' in numeric literal'],
    ['1.', 'invalid character \' \' after decimal point in numeric literal'],
    ['1e', 'invalid character \' \' in exponent of numeric literal'],
    ['"a\u0001"', 'invalid character \'\\x01\' in string literal'],
    ['"\\x"', 'invalid character \'x\' in string escape code'],
    ['"\\u12g4"', 'invalid character \'g\' in \\u hexadecimal character escape'],
    ['tru', 'invalid character \' \' in literal true (expecting \'e\')'],
    ['foobar', 'invalid character \'o\' in literal false (expecting \'a\')'],
    ['\'a\'', 'invalid character \'\\\'\' looking for beginning of value'],
    ['{} x', 'invalid character \'x\' after top-level value'],
    ['\ufeff{}', 'invalid character \'ï\' looking for beginning of value'],
  ])('%j is refused', (text, error) => expect(parseGoJson(text)).toMatchObject({ error }));

  test('keeps the order and the duplicates of keys', () => {
    expect(parseGoJson(' {"b":1,"a":[null,true,"\\u0041\\n"],"b":{}} ')).toMatchObject({
      node: { entries: [['b', { text: '1' }], ['a', { items: [{ kind: 'null' }, { value: true }, { value: 'A\n' }] }], ['b', { entries: [] }]] },
    });
  });

  test('nests as deep as anybody needs, and not until the stack ends', () => {
    expect(parseGoJson('['.repeat(1000) + ']'.repeat(1000))).toHaveProperty('node');
    expect(parseGoJson('['.repeat(100_000))).toMatchObject({ error: 'exceeded max depth' });
  });

  test('a decoder reads one value and ignores what follows', () => {
    expect(parseFirstGoJson('{} rest')).toHaveProperty('node');
    expect(parseFirstGoJson(' \n')).toMatchObject({ error: 'EOF' });
    expect(parseFirstGoJson('{"a":')).toMatchObject({ error: 'unexpected EOF' });
    expect(parseFirstGoJson('{"a":tru')).toMatchObject({ error: 'unexpected EOF' });
  });
});

describe('decoding', () => {
  const type: GoType = struct('settings.Outer', {
    cpu: INT, vlan: UINT16, on: BOOL, name: STRING, list: slice(STRING), all: map(STRING), inner: pointer(struct('settings.Inner', { size: INT })), rate: pointer(QUANTITY),
  });
  const decode = (text: string) => unmarshal<{ readonly [key: string]: unknown }>(text, type);

  test('what is left out has its zero value', () => {
    expect(decode('{}')).toEqual({ config: { cpu: 0, vlan: 0, on: false, name: '' }, unknown: [] });
    expect(decode('null')).toMatchObject({ config: { cpu: 0 } });
  });

  test('keys count without regard to case, the exact one as well, and the last one of each', () => {
    expect(decode('{"CPU":1,"cpu":2,"Cpu":3}')).toMatchObject({ config: { cpu: 3 }, unknown: [] });
    expect(decode('{"li\u017ft":["a"]}')).toMatchObject({ config: { list: ['a'] } });
    expect(decode('{"cpus":1}')).toMatchObject({ unknown: ['cpus'] });
  });

  test('null leaves numbers and texts alone and empties lists, maps and pointers', () => {
    expect(decode('{"cpu":5,"list":["a"],"inner":{"size":1},"cpu":null,"list":null,"inner":null}')).toMatchObject({ config: { cpu: 5, list: undefined, inner: undefined } });
    expect(decode('{"list":["a",null]}')).toMatchObject({ config: { list: ['a', ''] } });
  });

  test.each([
    ['{"cpu":"1"}', 'json: cannot unmarshal string into Go struct field Outer.cpu of type int'],
    ['{"cpu":1.0}', 'json: cannot unmarshal number 1.0 into Go struct field Outer.cpu of type int'],
    ['{"cpu":1e2}', 'json: cannot unmarshal number 1e2 into Go struct field Outer.cpu of type int'],
    ['{"cpu":9223372036854775808}', 'json: cannot unmarshal number 9223372036854775808 into Go struct field Outer.cpu of type int'],
    ['{"vlan":-1}', 'json: cannot unmarshal number -1 into Go struct field Outer.vlan of type uint16'],
    ['{"vlan":65536}', 'json: cannot unmarshal number 65536 into Go struct field Outer.vlan of type uint16'],
    ['{"on":"true"}', 'json: cannot unmarshal string into Go struct field Outer.on of type bool'],
    ['{"list":{}}', 'json: cannot unmarshal object into Go struct field Outer.list of type []string'],
    ['{"list":[1]}', 'json: cannot unmarshal number into Go struct field Outer.list of type string'],
    ['{"all":[]}', 'json: cannot unmarshal array into Go struct field Outer.all of type map[string]string'],
    ['{"inner":{"size":true}}', 'json: cannot unmarshal bool into Go struct field Inner.inner.size of type int'],
    ['{"inner":[]}', 'json: cannot unmarshal array into Go struct field Outer.inner of type settings.Inner'],
    ['[]', 'json: cannot unmarshal array into Go value of type settings.Outer'],
    ['{"cpu":true,"name":1}', 'json: cannot unmarshal bool into Go struct field Outer.cpu of type int'],
  ])('%s is refused', (text, error) => expect(decode(text)).toMatchObject({ error, syntax: false }));

  test('quantities are numbers or texts of their own form', () => {
    for (const good of ['0', '"40Gi"', '"1.5M"', '"1e3"', 'null']) { expect(decode(`{"rate":${good}}`)).not.toHaveProperty('error'); }
    for (const bad of ['"40 Gi"', '"fast"', 'true', '{}', '""']) { expect(decode(`{"rate":${bad}}`)).toHaveProperty('error'); }
  });

  test('a strict decoder refuses fields that it does not know', () => {
    expect(decodeStrict('{"cpu":1} x', type)).toMatchObject({ config: { cpu: 1 } });
    expect(decodeStrict('{"inner":{"sise":1}}', type)).toMatchObject({ error: 'json: unknown field "sise"' });
  });
});

describe('numbers', () => {
  test.each([
    ['10', 10], ['-5', -5], ['0', 0],
    ['007', 'leading zero in input: 007'], ['-0', 'leading zero in input: -0'], ['+5', 'no allowed symbol in input: +5'],
    ['ten', 'strconv.Atoi: parsing "ten": invalid syntax'], ['1.5', 'strconv.Atoi: parsing "1.5": invalid syntax'],
    [' 1', 'strconv.Atoi: parsing " 1": invalid syntax'], ['9223372036854775808', 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
  ])('StrictAtoi of %j', (text, result) => expect(Object.values(strictAtoi(text))).toEqual([result]));

  test('Atoi takes signs and leading zeros', () => expect([atoi('+05'), atoi('-007')]).toEqual([{ number: 5 }, { number: -7 }]));

  test('ParseUint takes digits alone', () => {
    expect(parseUint32('020')).toEqual({ number: 20 });
    expect(parseUint32('-1')).toEqual({ error: 'strconv.ParseUint: parsing "-1": invalid syntax' });
    expect(parseUint32('4294967296')).toEqual({ error: 'strconv.ParseUint: parsing "4294967296": value out of range' });
  });

  test.each([
    ['1.5', 1.5], ['.5', 0.5], ['5.', 5], ['1e1', 10], ['1_0', 10], ['0x1p-2', 0.25], ['0x_1p2', 4], ['inf', Infinity], ['-Infinity', -Infinity], ['1e-400', 0],
    ['NaN', NaN], ['-NaN', undefined], ['1_', undefined], ['0x1.8', undefined], ['1e400', undefined], [' 1', undefined], ['1,5', undefined],
  ])('ParseFloat of %j', (text, number) => expect((parseFloat64(text) as { number?: number }).number).toEqual(number));
});

describe('addresses', () => {
  test.each(['10.0.0.1', '0.0.0.0', '::', 'fd00::1', '::ffff:10.0.0.1', '1:2:3:4:5:6:7:8'])('%s is one', (text) => expect(parseIp(text)).toBeDefined());
  test.each(['', '10.0.0', '10.0.0.256', '010.0.0.1', '1::2::3', ':::', 'fe80::1%eth0', '1:2:3:4:5:6:7', '10.0.0.1 ', 'g::'])('%j is none', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test.each([['10.1.2.3/24', '10.1.2.0/24'], ['0.0.0.0/0', '0.0.0.0/0'], ['fd00::5/64', 'fd00::/64'], ['10.0.0.0/024', '10.0.0.0/24']])('%s lies in %s', (text, network) => {
    expect(printNetwork(parseCidr(text)!)).toBe(network);
  });
  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0/8', '/24', 'fd00::/129'])('%s is no CIDR', (text) => expect(parseCidr(text)).toBeUndefined());

  test('print as Go prints them', () => {
    expect(['2001:db8:0:0:1:0:0:1', '::1', '1:0:0:2:0:0:0:3', '10.0.0.1'].map((text) => printIp(parseIp(text)!))).toEqual(['2001:db8::1:0:0:1', '::1', '1:0:0:2::3', '10.0.0.1']);
  });

  test('lie within a network of their family, IPv4 also in the form of IPv6', () => {
    expect(contains(parseCidr('10.0.0.0/8')!, parseIp('10.9.9.9')!)).toBe(true);
    expect(contains(parseCidr('10.0.0.0/8')!, parseIp('::ffff:10.9.9.9')!)).toBe(true);
    expect(contains(parseCidr('::/0')!, parseIp('10.9.9.9')!)).toBe(false);
  });
});

describe('PEM', () => {
  test('blocks are found between other text', () => {
    expect(pemBlocksOf(`junk\n${CERTIFICATE}junk\n${KEY}`).blocks.map(({ type }) => type)).toEqual(['CERTIFICATE', 'PRIVATE KEY']);
    expect(pemBlocksOf(CERTIFICATE.replace(/\n/g, '\r\n')).blocks).toHaveLength(1);
    expect(pemBlocksOf('no block')).toEqual({ blocks: [] });
  });

  test('a broken block is an error unless a good one follows', () => {
    const broken = CERTIFICATE.replace('-----END', '----END');
    expect(pemBlocksOf(broken)).toEqual({ blocks: [], error: 'failed to parse PEM block' });
    expect(pemBlocksOf(`${broken}${CERTIFICATE}`).blocks).toHaveLength(1);
    expect(certificatesOf(CERTIFICATE + CERTIFICATE)).toHaveLength(2);
    expect(certificatesOf(CERTIFICATE + KEY)).toBeUndefined();
  });
});
