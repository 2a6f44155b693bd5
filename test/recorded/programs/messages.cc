// Four threads that hand blocks on to one another through queues with locks: each is freed by another than allocated it.
#include <mutex>
#include <thread>
#include <vector>

struct Message {
  long from, number, text[6];
};
struct Box {
  std::mutex lock;
  std::vector<Message *> messages;
  long received = 0;
};
Box boxes[4];

static void receive(Box &box) {
  std::vector<Message *> messages;
  {
    std::lock_guard<std::mutex> guard(box.lock);
    messages.swap(box.messages);
  }
  for (Message *message : messages) {
    box.received += message->number;
    delete message;
  }
}

static void work(int number) {
  for (int i = 0; i < 1000; i++) {
    Message *message = new Message{number, i, {}};
    Box &other = boxes[(number + 1 + i % 3) % 4];
    {
      std::lock_guard<std::mutex> guard(other.lock);
      other.messages.push_back(message);
    }
    if (i % 10 == 9) receive(boxes[number]);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
  for (Box &box : boxes) receive(box);
}
