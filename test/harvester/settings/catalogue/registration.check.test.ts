import { check, contextOf, outcome } from './checking';
import { checkSettingValue, settingNamed } from '../../../../src/harvester/settings/catalogue/catalogue';
import { printRegistration } from '../../../../src/harvester/settings/catalogue/entry';
import { IMPORT_PATH, registrationOf } from '../../../../src/harvester/settings/catalogue/registration.check';

const NAME = 'cluster-registration-url';
const URL = 'https://rancher.example.com/v3/import/abc123_c-m-harvdc05.yaml';
const json = (fields: object) => JSON.stringify({ url: URL, insecureSkipTLSVerify: false, ...fields });
const LATE_URL = 'https://rancher.example.com/v3/import/${late:rancher.token}_c-m-harvdc05.yaml';

describe('Harvester 1.7.2', () => {
  const of = (value: string) => outcome(NAME, value, '1.7.2');

  test.each([
    json({}), `{"URL":"${URL}"}`, '{"url":""}', json({ url: LATE_URL }), json({ url: '${late:rancher.url}' }), '${late:rancher.url}',
    `{"url":"${URL}","In\u017fecure\u017f\u212aipTLSVerify":false}`,
  ])('takes %s', (value) => expect(of(value)).toEqual([]));

  test('JSON without a url deletes the running agent, so it is an error', () => {
    for (const value of ['{}', `{"registrationUrl":"${URL}"}`, '{"insecureSkipTLSVerify":true}', 'null']) {
      expect(check(NAME, value, '1.7.2').filter(({ level }) => level !== 'warning')).toMatchObject([{ path: 'value.url', message: expect.stringContaining('agent is deleted') }]);
    }
    expect(of('{"url":null}')).toEqual(['warning value.url']);
  });

  test('JSON that can not be read is taken as a URL and never succeeds', () => {
    for (const value of ['{"url":1}', json({ insecureSkipTLSVerify: 'true' }), `"${URL}"`, `${json({})} x`, '{"url":"', '[]']) {
      expect(of(value)).toEqual([expect.stringMatching(/^error value: (json: cannot unmarshal|invalid character|unexpected end)/)]);
    }
  });

  test('the literal {token} never succeeds', () => {
    const says = 'failed to get from the registration URL: cluster not found or invalid token';
    expect(of(json({ url: URL.replace('abc123', '{token}') }))).toEqual([`error value.url: ${says}`]);
    expect(of(json({ url: URL.replace('abc123', '%7Btoken%7D') }))).toEqual([`error value.url: ${says}`]);
    expect(of(URL.replace('abc123', '{token}'))).toEqual(['warning value', `error value: ${says}`]);
  });

  test.each(['rancher', 'https://', 'ftp://rancher.example.com/x', '//rancher.example.com', 'https://rancher example.com/', 'https://r:port/', ' https://r/'])('%j is no URL', (url) => {
    expect(of(json({ url }))).toEqual(['error value.url']);
  });

  test('what works and should not be is a warning', () => {
    expect(of(URL)).toEqual(['warning value']);
    expect(of(json({ url: URL.replace('https', 'http') }))).toEqual(['warning value.url']);
    expect(of(json({ insecureSkipTLSVerify: true }))).toEqual(['warning value.insecureSkipTLSVerify']);
    expect(of(json({ url: 'https://rancher.example.com/v3/import/abc123.yaml' }))).toEqual(['warning value.url']);
    expect(of(json({ url: `${URL}?x=1` }))).toEqual(['warning value.url']);
    expect(of(json({ url: LATE_URL.replace('https', 'http') }))).toEqual(['warning value.url']);
    expect(of(json({ insecure: true }))).toEqual(['warning value.insecure']);
  });

  test('a host of which a part is late is not judged, its JSON is', () => {
    expect(of('{"url":"https://${late:rancher.host}/x"')).toEqual([]);
    expect(of('{"uri":"${late:rancher.url}"}')).toContainEqual('error value.url');
  });
});

test('before 1.7.2 the value is the URL itself, which is fetched without verification', () => {
  expect(outcome(NAME, URL, '1.7.1')).toEqual(['warning value']);
  expect(outcome(NAME, json({}), '1.7.1')).toEqual(['error value']);
  expect(outcome(NAME, '{}', '1.6.0')).toEqual(['error value']);
  expect(outcome(NAME, 'rancher', '1.6.0').sort()).toEqual(['error value', 'warning value']);
  expect(outcome(NAME, URL.replace('https', 'http'), '1.6.0')).toEqual(['warning value', 'warning value']);
});

test('of a version that is not known, both forms may be right', () => {
  const entry = settingNamed(NAME)!;
  expect([URL, json({})].flatMap((value) => checkSettingValue(entry, value, contextOf()))).toEqual([]);
  expect(checkSettingValue(entry, '{}', contextOf())).toHaveLength(1);
});

test('is read and written as Harvester does', () => {
  expect(registrationOf(json({ insecureSkipTLSVerify: true }))).toEqual({ url: URL, insecureSkipTlsVerify: true, json: true });
  expect(registrationOf(URL)).toEqual({ url: URL, insecureSkipTlsVerify: true, json: false });
  expect(registrationOf('{"url":1}')).toEqual({ url: '{"url":1}', insecureSkipTlsVerify: true, json: false });
  expect(printRegistration(URL, false, true)).toBe(`{"url":"${URL}","insecureSkipTLSVerify":false}`);
  expect(printRegistration(URL, false, false)).toBe(URL);
  expect(IMPORT_PATH.exec('/v3/import/a_b_c-m-x.yaml')?.slice(1)).toEqual(['a_b', 'c-m-x']);
});
