import { kafkaContainerSettings, kafkaProperties } from './kafka';

describe('a Kafka node', () => {
  const lines = kafkaProperties({ port: 21_001, controllerPort: 21_002, logDir: '/data/kafka' }).split('\n');

  it('listens on this machine only', () => {
    expect(lines).toContain('listeners=PLAINTEXT://127.0.0.1:21001,CONTROLLER://127.0.0.1:21002');
    expect(lines).toContain('controller.quorum.bootstrap.servers=127.0.0.1:21002');
    expect(lines).toContain('log.dirs=/data/kafka');
  });

  it('never makes a topic by itself', () => {
    expect(lines).toContain('auto.create.topics.enable=false');
    expect(kafkaContainerSettings(21_001).KAFKA_AUTO_CREATE_TOPICS_ENABLE).toBe('false');
  });

  it('is reached from outside of its container by the published port', () => {
    expect(kafkaContainerSettings(21_001).KAFKA_ADVERTISED_LISTENERS).toBe('PLAINTEXT://127.0.0.1:21001');
  });
});
