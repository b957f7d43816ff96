import { proxyFor } from '../../../src/engine/auth/config-file';

const server = new URL('https://api.prod.example.com:6443');

test.each([
  ['', 'http://p:3128/'],
  ['other.example.com', 'http://p:3128/'],
  ['api.prod.example.com', undefined],
  ['example.com', undefined],
  ['.example.com', undefined],
  ['*.example.com', undefined],
  ['xample.com', 'http://p:3128/'],
  ['api.prod.example.com:6443', undefined],
  ['api.prod.example.com:443', 'http://p:3128/'],
  ['a, b ,EXAMPLE.com', undefined],
  ['*', undefined],
])('NO_PROXY %j', (list, expected) => {
  expect(proxyFor(server, undefined, { HTTPS_PROXY: 'p:3128', NO_PROXY: list })?.href).toBe(
    expected,
  );
});

test.each([
  ['https://10.1.2.3', '10.0.0.0/8', undefined],
  ['https://11.1.2.3', '10.0.0.0/8', 'http://p/'],
  ['https://[fd00::5]:6443', 'fd00::/8', undefined],
  ['https://[fd00::5]:6443', 'fd00::5', undefined],
  ['https://10.1.2.3', '10.0.0.0/99', 'http://p/'],
  ['https://127.0.0.1:6443', '', undefined],
  ['https://localhost:6443', '', undefined],
])('%s with NO_PROXY %j', (url, list, expected) => {
  expect(proxyFor(new URL(url), undefined, { https_proxy: 'http://p', no_proxy: list })?.href).toBe(
    expected,
  );
});

test('the proxy of the kubeconfig wins and knows no exceptions', () => {
  expect(
    proxyFor(server, 'https://user:pw@own:8443', { HTTPS_PROXY: 'p', NO_PROXY: '*' })?.host,
  ).toBe('own:8443');
});

test('does not show a proxy that is not a valid URL: it may contain a password', () => {
  expect(() => proxyFor(server, 'http://u:c4nary@[', {})).toThrow(
    /^proxy-url of the kubeconfig: must be a URL\. Fix: use e\.g\. http:\/\/proxy\.example\.com:3128$/,
  );
});
