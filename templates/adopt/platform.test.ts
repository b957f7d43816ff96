import { matchers } from 'cdk8s-harvester/testing';
import { expect, test } from 'vitest';

expect.extend(matchers);

// placeholders replace the secrets of the environment
process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
const { app } = await import('./platform');

test('has no errors', () => {
  expect(app).toHaveNoFindings();
});
