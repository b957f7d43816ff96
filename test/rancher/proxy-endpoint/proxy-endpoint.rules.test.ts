import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { brief, judgeOn } from '../../support/judging';

const found = (...domains: unknown[]): string[] =>
  brief(
    judgeOn(
      ALL_RULES,
      [
        {
          apiVersion: 'management.cattle.io/v3',
          kind: 'ProxyEndpoint',
          metadata: { name: 'cloud' },
          spec: { routes: domains.map((domain) => ({ domain })) },
        } as Manifest,
      ],
      { version: '2.15.0' },
    ),
  );

test.each([
  'example.com',
  '*.cloud.example.com',
  '*.example.com',
  '*example.com',
  'ec2.%.aws.com',
  '*.%.example.com',
  'api.%.ck',
])('%s is accepted', (domain) => {
  expect(found(domain)).toEqual([]);
});

test.each(['*.com', '%.com', 'api.%.com', '*.uk', '%.ck'])('%s is refused', (domain) => {
  expect(found('example.com', domain)).toEqual([
    'error proxy-endpoint/domain spec.routes[1].domain',
  ]);
});

test.each(['*.co.uk', 'api.%.com.au'])('%s may be a public suffix', (domain) => {
  expect(found(domain)).toEqual(['warning proxy-endpoint/domain spec.routes[0].domain']);
});
