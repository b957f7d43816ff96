import { HarvesterApp } from 'cdk8s-harvester';
import { DELIVERY } from './delivery';
import { platform } from './platform';

const app = new HarvesterApp(DELIVERY);
platform(app);
app.synth();
