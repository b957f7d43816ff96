import { check, contextOf, outcome } from './_checking';
import {
  IMPORT_PATH,
  registrationOf,
} from '../../../../src/harvester/settings/catalogue/registration.facts';
import { checkSettingValue } from '../../../../src/harvester/settings/harvester-settings.check';
import { printHarvesterSetting } from '../../../../src/harvester/settings/harvester-settings.data';

const NAME = 'cluster-registration-url';
const URL = 'https://rancher.example.com/v3/import/abc123_c-m-harvdc05.yaml';
const json = (fields: object) =>
  JSON.stringify({ url: URL, insecureSkipTLSVerify: false, ...fields });
const LATE_URL = 'https://rancher.example.com/v3/import/${late:rancher.token}_c-m-harvdc05.yaml';

describe('Harvester 1.7.2', () => {
  const of = (value: string) => outcome(NAME, value, '1.7.2');

  test.each([
    json({}),
    `{"URL":"${URL}"}`,
    '{"url":""}',
    json({ url: LATE_URL }),
    json({ url: '${late:rancher.url}' }),
    '${late:rancher.url}',
    `{"url":"${URL}","In\u017fecure\u017f\u212aipTLSVerify":false}`,
  ])('accepts %s', (value) => expect(of(value)).toEqual([]));

  test('refuses JSON without a url, which deletes the running agent', () => {
    for (const value of [
      '{}',
      `{"registrationUrl":"${URL}"}`,
      '{"insecureSkipTLSVerify":true}',
      'null',
    ]) {
      expect(check(NAME, value, '1.7.2').filter(({ level }) => level !== 'warning')).toMatchObject([
        {
          path: 'value.url',
          message: expect.stringContaining('deletes the running cluster agent'),
        },
      ]);
    }
    expect(of('{"url":null}')).toEqual(['warning value.url']);
  });

  test('refuses JSON of another type, which Harvester reads as a URL', () => {
    for (const value of [
      '{"url":1}',
      json({ insecureSkipTLSVerify: 'true' }),
      `"${URL}"`,
      `${json({})} x`,
      '{"url":"',
      '[]',
    ]) {
      expect(of(value)).toEqual([expect.stringMatching(/^error value/)]);
    }
  });

  test('the literal {token} never succeeds', () => {
    const says = 'failed to get from the registration URL: cluster not found or invalid token';
    expect(of(json({ url: URL.replace('abc123', '{token}') }))).toEqual([
      `error value.url: ${says}`,
    ]);
    expect(of(json({ url: URL.replace('abc123', '%7Btoken%7D') }))).toEqual([
      `error value.url: ${says}`,
    ]);
    expect(of(URL.replace('abc123', '{token}'))).toEqual(['warning value', `error value: ${says}`]);
  });

  test.each([
    'rancher',
    'https://',
    'ftp://rancher.example.com/x',
    '//rancher.example.com',
    'https://rancher example.com/',
    'https://r:port/',
    ' https://r/',
  ])('refuses %j as a URL', (url) => {
    expect(of(json({ url }))).toEqual(['error value.url']);
  });

  test('what works and should not be is a warning', () => {
    expect(of(URL)).toEqual(['warning value']);
    expect(of(json({ url: URL.replace('https', 'http') }))).toEqual(['warning value.url']);
    expect(of(json({ insecureSkipTLSVerify: true }))).toEqual([
      'warning value.insecureSkipTLSVerify',
    ]);
    expect(of(json({ url: 'https://rancher.example.com/v3/import/abc123.yaml' }))).toEqual([
      'warning value.url',
    ]);
    expect(of(json({ url: `${URL}?x=1` }))).toEqual(['warning value.url']);
    expect(of(json({ url: LATE_URL.replace('https', 'http') }))).toEqual(['warning value.url']);
    expect(of(json({ insecure: true }))).toEqual(['warning value.insecure']);
  });

  test('judges the JSON around a late host', () => {
    expect(of('{"url":"https://${late:rancher.host}/x"')).toEqual([]);
    expect(of('{"uri":"${late:rancher.url}"}')).toContainEqual('error value.url');
  });
});

test('accepts a plain URL alone before 1.7.2, with a warning', () => {
  expect(outcome(NAME, URL, '1.7.1')).toEqual(['warning value']);
  expect(outcome(NAME, json({}), '1.7.1')).toEqual(['error value']);
  expect(outcome(NAME, '{}', '1.6.0')).toEqual(['error value']);
  expect(outcome(NAME, 'rancher', '1.6.0').sort()).toEqual(['error value', 'warning value']);
  expect(outcome(NAME, URL.replace('https', 'http'), '1.6.0')).toEqual([
    'warning value',
    'warning value',
  ]);
});

test('accepts both forms where the version is not known', () => {
  expect([URL, json({})].flatMap((value) => checkSettingValue(NAME, value, contextOf()))).toEqual(
    [],
  );
  expect(checkSettingValue(NAME, '{}', contextOf())).toHaveLength(1);
});

test('reads and writes the value as Harvester does', () => {
  expect(registrationOf(json({ insecureSkipTLSVerify: true }))).toEqual({
    url: URL,
    insecureSkipTlsVerify: true,
    json: true,
  });
  expect(registrationOf(URL)).toEqual({ url: URL, insecureSkipTlsVerify: true, json: false });
  expect(registrationOf('{"url":1}')).toEqual({
    url: '{"url":1}',
    insecureSkipTlsVerify: true,
    json: false,
  });
  expect(printHarvesterSetting(NAME, { url: URL }, () => '1.7.2')).toBe(
    `{"url":"${URL}","insecureSkipTLSVerify":false}`,
  );
  expect(printHarvesterSetting(NAME, { url: URL }, () => '1.7.1')).toBe(URL);
  expect(IMPORT_PATH.exec('/v3/import/a_b_c-m-x.yaml')?.slice(1)).toEqual(['a_b', 'c-m-x']);
});
