import { Manifest } from '../../../src/core/manifest/manifest';
import { AUDIT_POLICY_RULES } from '../../../src/rancher/audit/audit-policy.rules';
import { brief, judgeOn } from '../../support/judging';

const found = (spec: object): string[] =>
  brief(
    judgeOn(AUDIT_POLICY_RULES, [
      {
        apiVersion: 'auditlog.cattle.io/v1',
        kind: 'AuditPolicy',
        metadata: { name: 'logins' },
        spec: { enabled: true, verbosity: { level: 2 }, ...spec },
      } as Manifest,
    ]),
  );

test('accepts what Rancher accepts', () => {
  expect(
    found({
      filters: [
        { action: 'allow', requestURI: '/v3-public/.*' },
        { action: 'deny' },
        { action: 'deny', requestURI: '(?i)/(?P<kind>v[13])/' },
      ],
      additionalRedactions: [{ headers: ['Cookie', 'X-.*'], paths: ['$.password', '$..token'] }],
    }),
  ).toEqual([]);
});

test.each([
  [{ verbosity: { level: 4 } }, 'audit-policy/level spec.verbosity.level'],
  [{ verbosity: { level: -1 } }, 'audit-policy/level spec.verbosity.level'],
  [{ filters: [{ action: 'Allow' }] }, 'audit-policy/filters spec.filters[0].action'],
  [{ filters: [{ requestURI: '/a' }] }, 'audit-policy/filters spec.filters[0].action'],
  [
    { filters: [{ action: 'deny', requestURI: '/(?!v3)' }] },
    'audit-policy/filters spec.filters[0].requestURI',
  ],
  [
    { filters: [{ action: 'deny', requestURI: '/(' }] },
    'audit-policy/filters spec.filters[0].requestURI',
  ],
  [
    { additionalRedactions: [{ headers: ['Cookie', '['] }] },
    'audit-policy/redactions spec.additionalRedactions[0].headers[1]',
  ],
  [
    { additionalRedactions: [{ paths: ['password'] }] },
    'audit-policy/redactions spec.additionalRedactions[0].paths[0]',
  ],
])('%j is refused', (spec, line) => {
  expect(found(spec)).toEqual([`error ${line}`]);
});
