import { HarvesterTesting } from 'cdk8s-harvester';
import { matchers } from 'cdk8s-harvester/testing';
import { expect, test } from 'vitest';
import { DELIVERY } from './delivery';
import { platform } from './platform';

expect.extend(matchers);

// placeholders replace the secrets of the environment
const app = HarvesterTesting.app(DELIVERY);
platform(app);

test('has no errors', () => {
  expect(app).toHaveNoFindings();
});

test('sets the NTP servers of Harvester', () => {
  expect(app).toDeclare({ kind: 'Setting', metadata: { name: 'ntp-servers' } }, { target: 'dc1' });
});
