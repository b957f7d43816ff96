import { HarvesterApp } from 'cdk8s-harvester';
import { expect, test } from 'vitest';
import { DELIVERY } from './delivery';
import { platform } from './platform';

// the test needs no secret of the environment
process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';

test('has no errors', () => {
  const app = new HarvesterApp(DELIVERY);
  platform(app);
  expect(app.validate().filter(({ level }) => level === 'error')).toEqual([]);
});
